#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
A number has many texts, and Python's Decimal('1.0') is sent as 1.0. In a number set, that is the member 1: dynalite knows it.
dynoxide and MiniStack refuse to add 1.0 to a set that has 1, as if the request had a duplicate; moto has both then. All three
delete nothing when asked to delete 1.0, and MiniStack does not find 1.0 in the set.
WORDS
npm_install @dynoxide/linux-x64@1.2.1 dynalite@4.0.0
pip_install ministack==1.5.33 'moto[dynamodb]==5.2.5' flask==3.1.2 flask-cors==6.0.1
cat >program.mjs <<'PROGRAM'
const { createTable, dynamodb } = await import(process.env.CLIENT);
const [, , name, port] = process.argv;
await createTable(port, 'rooms');
const Key = { PK: { S: 'room#1' } };
const one = { ':one': { NS: ['1.0'] } };
for (const update of [
  { UpdateExpression: 'ADD floors :one', ExpressionAttributeValues: one },
  { UpdateExpression: 'DELETE floors :one', ExpressionAttributeValues: one },
  {
    UpdateExpression: 'SET known = :yes',
    ConditionExpression: 'contains(floors, :one)',
    ExpressionAttributeValues: { ':one': { N: '1.0' }, ':yes': { BOOL: true } },
  },
]) {
  await dynamodb(port, 'PutItem', { TableName: 'rooms', Item: { ...Key, floors: { NS: ['1', '2'] } } });
  const { Attributes, __type } = await dynamodb(port, 'UpdateItem', {
    ...{ TableName: 'rooms', Key, ReturnValues: 'ALL_NEW' },
    ...update,
  });
  const outcome = Attributes === undefined ? __type.replace(/.*#/, '') : JSON.stringify(Attributes.floors.NS.sort());
  console.log(`${name}: ${update.ConditionExpression ?? update.UpdateExpression} on 1, 2: ${outcome}`);
}
PROGRAM
free_port
start dynoxide node_modules/@dynoxide/linux-x64/dynoxide serve --port "$PORT"
node program.mjs dynoxide "$PORT" >seen
free_port
start ministack packages/bin/hypercorn ministack.app:app --workers 0 --bind "127.0.0.1:$PORT"
node program.mjs MiniStack "$PORT" >>seen
free_port
start moto packages/bin/moto_server -H 127.0.0.1 -p "$PORT"
node program.mjs moto "$PORT" >>seen
free_port
start dynalite node node_modules/dynalite/cli.js --host 127.0.0.1 --port "$PORT" --createTableMs 0
node program.mjs dynalite "$PORT" >>seen
expect <<'SEEN'
dynoxide: ADD floors :one on 1, 2: ValidationException
dynoxide: DELETE floors :one on 1, 2: ["1","2"]
dynoxide: contains(floors, :one) on 1, 2: ["1","2"]
MiniStack: ADD floors :one on 1, 2: ValidationException
MiniStack: DELETE floors :one on 1, 2: ["1","2"]
MiniStack: contains(floors, :one) on 1, 2: ConditionalCheckFailedException
moto: ADD floors :one on 1, 2: ["1","1.0","2"]
moto: DELETE floors :one on 1, 2: ["1","2"]
moto: contains(floors, :one) on 1, 2: ["1","2"]
dynalite: ADD floors :one on 1, 2: ["1","2"]
dynalite: DELETE floors :one on 1, 2: ["2"]
dynalite: contains(floors, :one) on 1, 2: ["1","2"]
SEEN
