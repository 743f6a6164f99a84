#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
moto ignores the ClientRequestToken of TransactWriteItems: a transaction that is sent again, as an SDK does after a lost answer,
is carried out again, where DynamoDB does so once in ten minutes. And an update in a transaction that creates its item leaves
two INSERT records on the stream, where a put leaves one.
WORDS
pip_install 'moto[dynamodb]==5.2.5' flask==3.1.2 flask-cors==6.0.1
free_port
start moto packages/bin/moto_server -H 127.0.0.1 -p "$PORT"
cat >program.mjs <<'PROGRAM'
const { createTable, dynamodb, recordsOf } = await import(process.env.CLIENT);
const port = process.argv[2];
const stream = await createTable(port, 'accounts');
const Key = { PK: { S: 'account#1' } };
const transaction = {
  ClientRequestToken: 'deposit-2026-01-01',
  TransactItems: [
    {
      Update: {
        TableName: 'accounts',
        Key,
        UpdateExpression: 'ADD balance :five',
        ExpressionAttributeValues: { ':five': { N: '5' } },
      },
    },
    { Put: { TableName: 'accounts', Item: { PK: { S: 'account#2' } } } },
  ],
};
await dynamodb(port, 'TransactWriteItems', transaction);
console.log('records of one transaction:', (await recordsOf(port, stream)).join(', '));
await dynamodb(port, 'TransactWriteItems', transaction);
const { Item } = await dynamodb(port, 'GetItem', { TableName: 'accounts', Key });
console.log(`a deposit of 5, sent twice with one token: balance ${Item.balance.N}`);
PROGRAM
node program.mjs "$PORT" >seen
expect <<'SEEN'
records of one transaction: INSERT account#1, INSERT account#1, INSERT account#2
a deposit of 5, sent twice with one token: balance 10
SEEN
