#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
Writes by PartiQL change a MiniStack table, but not one of them is on its stream: not of ExecuteStatement, not of
BatchExecuteStatement, not of ExecuteTransaction. A consumer of the stream never learns of them. In DynamoDB every write that
changes an item has a record.
WORDS
pip_install ministack==1.5.33
free_port
start ministack packages/bin/hypercorn ministack.app:app --workers 0 --bind "127.0.0.1:$PORT"
cat >program.mjs <<'PROGRAM'
const { createTable, dynamodb, recordsOf, text } = await import(process.env.CLIENT);
const port = process.argv[2];
const stream = await createTable(port, 'orders');
const item = { PK: { S: 'order#1' }, total: { N: '1' } };
await dynamodb(port, 'PutItem', { TableName: 'orders', Item: item });
const update = (total) => ({
  Statement: 'UPDATE "orders" SET total=? WHERE PK=?',
  Parameters: [{ N: total }, { S: 'order#1' }],
});
await dynamodb(port, 'ExecuteStatement', update('2'));
await dynamodb(port, 'BatchExecuteStatement', { Statements: [update('3')] });
await dynamodb(port, 'ExecuteTransaction', { TransactStatements: [update('4')] });
await dynamodb(port, 'ExecuteStatement', { Statement: `INSERT INTO "orders" VALUE {'PK': 'order#2'}` });
const { Items } = await dynamodb(port, 'Scan', { TableName: 'orders' });
console.log('items:', Items.map(text).sort().join(' '));
console.log('records after PutItem and four statements:', (await recordsOf(port, stream)).join(', '));
await dynamodb(port, 'DeleteItem', { TableName: 'orders', Key: { PK: { S: 'order#1' } } });
console.log('records after DeleteItem:', (await recordsOf(port, stream)).join(', '));
PROGRAM
node program.mjs "$PORT" >seen
expect <<'SEEN'
items: {"PK":{"S":"order#1"},"total":{"N":"4"}} {"PK":{"S":"order#2"}}
records after PutItem and four statements: INSERT order#1
records after DeleteItem: INSERT order#1, REMOVE order#1
SEEN
