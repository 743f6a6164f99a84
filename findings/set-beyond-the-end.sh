#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
SET of an element beyond the end of a list appends it in DynamoDB; of several, sorted by their numbers. dynoxide fills the gap with
NULL elements instead. moto and MiniStack carry out one assignment after the other, so that an element which is just appended can be
overwritten by the next: of two new ones, one is lost. Of four servers, dynalite alone does both as documented.
WORDS
npm_install @dynoxide/linux-x64@1.2.1 dynalite@4.0.0
pip_install ministack==1.5.33 'moto[dynamodb]==5.2.5' flask==3.1.2 flask-cors==6.0.1
cat >program.mjs <<'PROGRAM'
const { createTable, dynamodb } = await import(process.env.CLIENT);
const [, , name, port] = process.argv;
await createTable(port, 'queues');
const Key = { PK: { S: 'queue#1' } };
for (const UpdateExpression of ['SET waiting[5] = :x', 'SET waiting[3] = :x, waiting[2] = :y']) {
  await dynamodb(port, 'PutItem', {
    TableName: 'queues',
    Item: { ...Key, waiting: { L: [{ S: 'ann' }, { S: 'bea' }] } },
  });
  const values = { ':x': { S: 'x' }, ...(UpdateExpression.includes(':y') && { ':y': { S: 'y' } }) };
  const { Attributes } = await dynamodb(port, 'UpdateItem', {
    ...{ TableName: 'queues', Key, UpdateExpression, ReturnValues: 'ALL_NEW' },
    ExpressionAttributeValues: values,
  });
  console.log(`${name}: ${UpdateExpression}: ${Attributes.waiting.L.map(({ S }) => S ?? 'NULL').join(', ')}`);
}
PROGRAM
free_port
start dynoxide node_modules/@dynoxide/linux-x64/dynoxide serve --port "$PORT"
node program.mjs dynoxide "$PORT" >seen
free_port
start dynalite node node_modules/dynalite/cli.js --host 127.0.0.1 --port "$PORT" --createTableMs 0
node program.mjs dynalite "$PORT" >>seen
free_port
start ministack packages/bin/hypercorn ministack.app:app --workers 0 --bind "127.0.0.1:$PORT"
node program.mjs MiniStack "$PORT" >>seen
free_port
start moto packages/bin/moto_server -H 127.0.0.1 -p "$PORT"
node program.mjs moto "$PORT" >>seen
expect <<'SEEN'
dynoxide: SET waiting[5] = :x: ann, bea, NULL, NULL, NULL, x
dynoxide: SET waiting[3] = :x, waiting[2] = :y: ann, bea, y, x
dynalite: SET waiting[5] = :x: ann, bea, x
dynalite: SET waiting[3] = :x, waiting[2] = :y: ann, bea, y, x
MiniStack: SET waiting[5] = :x: ann, bea, x
MiniStack: SET waiting[3] = :x, waiting[2] = :y: ann, bea, y
moto: SET waiting[5] = :x: ann, bea, x
moto: SET waiting[3] = :x, waiting[2] = :y: ann, bea, y
SEEN
