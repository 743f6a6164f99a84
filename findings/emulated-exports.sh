#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
ExportTableToPointInTime, of a table of two items. MiniStack says COMPLETED, two items, and where the manifest is, and writes
nothing into the bucket. moto writes the items, but no manifest at all: a reader that begins with manifest-summary.json, as an
export of AWS has one, finds nothing there; and moto's ExportFormat is DYNAMO_JSON, which AWS's list of formats does not have.
WORDS
pip_install ministack==1.5.33 'moto[dynamodb]==5.2.5' flask==3.1.2 flask-cors==6.0.1
cat >program.mjs <<'PROGRAM'
const { createTable, dynamodb } = await import(process.env.CLIENT);
const [, , name, port] = process.argv;
const s3 = (method, path) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      'x-amz-date': '20260101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0',
    },
  }).then((answer) => answer.text());
const stream = await createTable(port, 'orders');
await dynamodb(port, 'UpdateContinuousBackups', {
  TableName: 'orders',
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
});
for (const PK of ['order#1', 'order#2']) await dynamodb(port, 'PutItem', { TableName: 'orders', Item: { PK: { S: PK } } });
await s3('PUT', '/exports');
const { ExportDescription } = await dynamodb(port, 'ExportTableToPointInTime', {
  TableArn: stream.replace(/\/stream\/.*/, ''),
  S3Bucket: 'exports',
  S3Prefix: 'nightly',
});
let described = ExportDescription;
for (const deadline = Date.now() + 30_000; described.ExportStatus === 'IN_PROGRESS' && Date.now() < deadline; )
  described = (await dynamodb(port, 'DescribeExport', { ExportArn: described.ExportArn })).ExportDescription;
const { ExportStatus, ItemCount, ExportFormat, ExportManifest } = described;
const manifest = ExportManifest?.replace(/[0-9a-f-]{20,}/, '<id>') ?? 'unnamed';
console.log(`${name}: ${ExportStatus}, ${ItemCount} items, ${ExportFormat}, manifest ${manifest}`);
const keys = [...(await s3('GET', '/exports?list-type=2')).matchAll(/<Key>([^<]*)<\/Key>/g)];
console.log(`${name}: in the bucket: ${keys.map(([, key]) => key.replace(/[0-9a-f-]{20,}/g, '<id>')).join(', ') || 'nothing'}`);
PROGRAM
free_port
start ministack packages/bin/hypercorn ministack.app:app --workers 0 --bind "127.0.0.1:$PORT"
node program.mjs MiniStack "$PORT" >seen
free_port
start moto packages/bin/moto_server -H 127.0.0.1 -p "$PORT"
node program.mjs moto "$PORT" >>seen
expect <<'SEEN'
MiniStack: COMPLETED, 2 items, DYNAMODB_JSON, manifest AWSDynamoDB/<id>/manifest-summary.json
MiniStack: in the bucket: nothing
moto: COMPLETED, 2 items, DYNAMO_JSON, manifest unnamed
moto: in the bucket: nightly/AWSDynamoDB/<id>/data/<id>.gz
SEEN
