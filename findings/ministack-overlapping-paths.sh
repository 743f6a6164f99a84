#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
An update whose paths overlap is refused by DynamoDB, dynoxide, dynalite and moto. MiniStack carries it out, one clause after the
other: what passes all tests there fails deployed.
WORDS
pip_install ministack==1.5.33
npm_install @dynoxide/linux-x64@1.2.1
cat >program.mjs <<'PROGRAM'
const { createTable, dynamodb, text } = await import(process.env.CLIENT);
const [, , name, port] = process.argv;
await createTable(port, 'games');
const Key = { PK: { S: 'game#1' } };
for (const [UpdateExpression, values] of [
  ['SET score = :one ADD score :one', { ':one': { N: '1' } }],
  ['SET board = :new, board.turn = :one', { ':new': { M: {} }, ':one': { N: '1' } }],
]) {
  await dynamodb(port, 'PutItem', { TableName: 'games', Item: { ...Key, score: { N: '0' }, board: { M: {} } } });
  const { Attributes, message } = await dynamodb(port, 'UpdateItem', {
    ...{ TableName: 'games', Key, UpdateExpression, ExpressionAttributeValues: values, ReturnValues: 'ALL_NEW' },
  });
  console.log(`${name}: ${UpdateExpression}: ${Attributes === undefined ? message : text(Attributes)}`);
}
PROGRAM
free_port
start ministack packages/bin/hypercorn ministack.app:app --workers 0 --bind "127.0.0.1:$PORT"
node program.mjs MiniStack "$PORT" >seen
free_port
start dynoxide node_modules/@dynoxide/linux-x64/dynoxide serve --port "$PORT"
node program.mjs dynoxide "$PORT" >>seen
expect <<'SEEN'
MiniStack: SET score = :one ADD score :one: {"PK":{"S":"game#1"},"board":{"M":{}},"score":{"N":"2"}}
MiniStack: SET board = :new, board.turn = :one: {"PK":{"S":"game#1"},"board":{"M":{"turn":{"N":"1"}}},"score":{"N":"0"}}
dynoxide: SET score = :one ADD score :one: 1 validation error detected: Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [score], path two: [score]
dynoxide: SET board = :new, board.turn = :one: 1 validation error detected: Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [board, turn], path two: [board]
SEEN
