#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
dynamodb-data-types unwraps and wraps items. A list of texts or of numbers comes back as a set, and so an empty list as an empty
number set, which DynamoDB refuses: such an item cannot be put back as it was read.
WORDS
npm_install dynamodb-data-types@4.0.1 @dynoxide/linux-x64@1.2.1
free_port
start dynoxide node_modules/@dynoxide/linux-x64/dynoxide serve --port "$PORT"
cat >program.mjs <<'PROGRAM'
import types from 'dynamodb-data-types';

const { createTable, dynamodb } = await import(process.env.CLIENT);
const port = process.argv[2];
await createTable(port, 'carts');
for (const L of [[{ S: 'b' }, { S: 'a' }], []]) {
  const lines = types.AttributeValue.wrap(types.AttributeValue.unwrap({ lines: { L } })).lines;
  const { message } = await dynamodb(port, 'PutItem', { TableName: 'carts', Item: { PK: { S: 'cart#1' }, lines } });
  console.log(`${JSON.stringify({ L })} -> ${JSON.stringify(lines)}: ${message ?? 'put'}`);
}
PROGRAM
node program.mjs "$PORT" >seen
expect <<'SEEN'
{"L":[{"S":"b"},{"S":"a"}]} -> {"SS":["b","a"]}: put
{"L":[]} -> {"NS":[]}: 1 validation error detected: One or more parameter values were invalid: An number set  may not be empty
SEEN
