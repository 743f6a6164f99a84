#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
aws-lite's DynamoDB plugin reads a binary attribute as a text with its base64. An item that is read and put again, as it was
read, has a text attribute where it had a binary one.
WORDS
npm_install @aws-lite/client@0.23.7 @aws-lite/dynamodb@0.3.9 @dynoxide/linux-x64@1.2.1
free_port
start dynoxide node_modules/@dynoxide/linux-x64/dynoxide serve --port "$PORT"
cat >program.mjs <<'PROGRAM'
import awsLite from '@aws-lite/client';

const { createTable, dynamodb, text } = await import(process.env.CLIENT);
const port = process.argv[2];
await createTable(port, 'photos');
const stored = async () =>
  text((await dynamodb(port, 'GetItem', { TableName: 'photos', Key: { PK: { S: 'photo#1' } } })).Item);
await dynamodb(port, 'PutItem', { TableName: 'photos', Item: { PK: { S: 'photo#1' }, thumbnail: { B: 'aGk=' } } });
console.log('before:', await stored());
const aws = await awsLite({
  ...{ region: 'us-east-1', accessKeyId: 'test', secretAccessKey: 'test', endpoint: `http://127.0.0.1:${port}` },
  plugins: [import('@aws-lite/dynamodb')],
});
const { Item } = await aws.DynamoDB.GetItem({ TableName: 'photos', Key: { PK: 'photo#1' } });
await aws.DynamoDB.PutItem({ TableName: 'photos', Item });
console.log('read and put again:', await stored());
PROGRAM
node program.mjs "$PORT" >seen
expect <<'SEEN'
before: {"PK":{"S":"photo#1"},"thumbnail":{"B":"aGk="}}
read and put again: {"PK":{"S":"photo#1"},"thumbnail":{"S":"aGk="}}
SEEN
