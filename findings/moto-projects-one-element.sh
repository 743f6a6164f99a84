#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
A ProjectionExpression that names several elements of one list gets only the element that it names last from moto. DynamoDB, and
the other servers tried (dynoxide 1.2.1, dynalite 4.0.0, MiniStack 1.5.33), return all of them, in the order of the list.
WORDS
pip_install 'moto[dynamodb]==5.2.5' flask==3.1.2 flask-cors==6.0.1
free_port
start moto packages/bin/moto_server -H 127.0.0.1 -p "$PORT"
cat >program.mjs <<'PROGRAM'
const { createTable, dynamodb, text } = await import(process.env.CLIENT);
const port = process.argv[2];
await createTable(port, 'races');
const finishers = { L: ['ann', 'bea', 'cy'].map((name) => ({ S: name })) };
await dynamodb(port, 'PutItem', { TableName: 'races', Item: { PK: { S: 'race#1' }, finishers } });
for (const ProjectionExpression of ['finishers[0], finishers[2]', 'finishers[2], finishers[0]']) {
  const { Item } = await dynamodb(port, 'GetItem', { TableName: 'races', Key: { PK: { S: 'race#1' } }, ProjectionExpression });
  console.log(`${ProjectionExpression}: ${text(Item)}`);
}
PROGRAM
node program.mjs "$PORT" >seen
expect <<'SEEN'
finishers[0], finishers[2]: {"finishers":{"L":[{"S":"cy"}]}}
finishers[2], finishers[0]: {"finishers":{"L":[{"S":"ann"}]}}
SEEN
