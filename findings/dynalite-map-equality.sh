#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
A condition compares maps and lists by value in DynamoDB. dynalite compares them as they are written: a map is not equal to the
same map with its names in another order, nor a list of 1 to a list of 1.0, nor a list with a set to one with the set in another
order. Numbers and sets that are attributes themselves it compares by value.
WORDS
npm_install dynalite@4.0.0
free_port
start dynalite node node_modules/dynalite/cli.js --host 127.0.0.1 --port "$PORT" --createTableMs 0
cat >program.mjs <<'PROGRAM'
const { createTable, dynamodb } = await import(process.env.CLIENT);
const port = process.argv[2];
await createTable(port, 'shops');
const Key = { PK: { S: 'shop#1' } };
for (const [what, stored, given] of [
  ['a map, names exchanged', { M: { a: { N: '1' }, b: { N: '2' } } }, { M: { b: { N: '2' }, a: { N: '1' } } }],
  ['a list of 1 and of 1.0', { L: [{ N: '1' }] }, { L: [{ N: '1.0' }] }],
  ['a list of a set, members exchanged', { L: [{ SS: ['a', 'b'] }] }, { L: [{ SS: ['b', 'a'] }] }],
  ['1 and 1.0', { N: '1' }, { N: '1.0' }],
  ['a set, members exchanged', { SS: ['a', 'b'] }, { SS: ['b', 'a'] }],
]) {
  await dynamodb(port, 'PutItem', { TableName: 'shops', Item: { ...Key, hours: stored } });
  const { __type } = await dynamodb(port, 'PutItem', {
    TableName: 'shops',
    Item: Key,
    ConditionExpression: 'hours = :given',
    ExpressionAttributeValues: { ':given': given },
  });
  console.log(`${what}: ${__type === undefined ? 'equal' : __type.replace(/.*#/, '')}`);
}
PROGRAM
node program.mjs "$PORT" >seen
expect <<'SEEN'
a map, names exchanged: ConditionalCheckFailedException
a list of 1 and of 1.0: ConditionalCheckFailedException
a list of a set, members exchanged: ConditionalCheckFailedException
1 and 1.0: equal
a set, members exchanged: equal
SEEN
