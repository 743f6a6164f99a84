#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
A stream that is switched off and on again is another stream in DynamoDB, with another ARN: it has the records from then on, and
the old one keeps its own. In dynoxide there are two ARNs but one list of records: each stream shows the records of both. A
consumer that reads the new stream from its beginning gets every old change again.
WORDS
npm_install @dynoxide/linux-x64@1.2.1
free_port
start dynoxide node_modules/@dynoxide/linux-x64/dynoxide serve --port "$PORT"
cat >program.mjs <<'PROGRAM'
const { createTable, dynamodb, recordsOf } = await import(process.env.CLIENT);
const port = process.argv[2];
const first = await createTable(port, 'orders');
const put = (PK) => dynamodb(port, 'PutItem', { TableName: 'orders', Item: { PK: { S: PK } } });
const stream = async (StreamSpecification) =>
  (await dynamodb(port, 'UpdateTable', { TableName: 'orders', StreamSpecification })).TableDescription.LatestStreamArn;
await put('while-first');
await stream({ StreamEnabled: false });
await put('while-off');
let second = first;
for (const deadline = Date.now() + 5_000; second === first && Date.now() < deadline; ) {
  second = await stream({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
  if (second === first) await stream({ StreamEnabled: false });
}
await put('while-second');
console.log(`two ARNs: ${first !== second}`);
console.log('first stream:', (await recordsOf(port, first)).join(', '));
console.log('second stream:', (await recordsOf(port, second)).join(', '));
PROGRAM
node program.mjs "$PORT" >seen
expect <<'SEEN'
two ARNs: true
first stream: INSERT while-first, INSERT while-second
second stream: INSERT while-first, INSERT while-second
SEEN
