#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
serverless-offline-dynamodb-streams hands a function what the stream's API returned, not the event that Lambda makes of it: the
time is a Date instead of seconds, a binary value is bytes instead of base64 text, and eventSourceARN ends in the table's name,
without table/, stream/ and the stream's label.
WORDS
npm_install serverless-offline-dynamodb-streams@8.0.1 @dynoxide/linux-x64@1.2.1
free_port
start dynoxide node_modules/@dynoxide/linux-x64/dynoxide serve --port "$PORT"
cat >program.mjs <<'PROGRAM'
import { createRequire } from 'node:module';

const { createTable, dynamodb } = await import(process.env.CLIENT);
const Streams = createRequire(import.meta.url)('serverless-offline-dynamodb-streams/src/dynamodb-streams.js');
const port = process.argv[2];
await createTable(port, 'photos');
await dynamodb(port, 'PutItem', { TableName: 'photos', Item: { PK: { S: 'photo#1' }, thumbnail: { B: 'aGk=' } } });
Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
let deliver;
const delivered = new Promise((resolve) => {
  deliver = resolve;
});
setTimeout(() => process.exit(1), 60_000).unref();
const lambda = { get: () => ({ setEvent: deliver, runHandler: async () => undefined }) };
const streams = new Streams(
  lambda,
  { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', accountId: '123456789012' },
  console,
);
await streams.create([
  { functionKey: 'thumbnails', dynamodbStreams: { tableName: 'photos', startingPosition: 'TRIM_HORIZON' } },
]);
streams.start();
const [{ eventSourceARN, dynamodb: change }] = (await delivered).Records;
console.log('eventSourceARN:', eventSourceARN);
console.log('ApproximateCreationDateTime is a', change.ApproximateCreationDateTime.constructor.name);
console.log('a binary value is a', change.NewImage.thumbnail.B.constructor.name, 'as JSON', JSON.stringify(change.NewImage.thumbnail));
process.exit(0);
PROGRAM
node program.mjs "$PORT" >seen
expect <<'SEEN'
eventSourceARN: arn:aws:dynamodb:us-east-1:123456789012:photos
ApproximateCreationDateTime is a Date
a binary value is a Uint8Array as JSON {"B":{"0":104,"1":105}}
SEEN
