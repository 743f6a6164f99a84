#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
dyno-item-size computes what an item takes in DynamoDB, of the item as JavaScript. The SDK's unmarshall makes sets of type Set, of
which dyno-item-size counts no member: an item with a set of 300 texts of 9 bytes has 3 bytes for all of them, and costs one
write unit by it. DynamoDB's documentation adds up the members; dynoxide charges 3.
WORDS
npm_install dyno-item-size@0.3.3 @aws-sdk/util-dynamodb@3.996.9 @dynoxide/linux-x64@1.2.1
free_port
start dynoxide node_modules/@dynoxide/linux-x64/dynoxide serve --port "$PORT"
cat >program.mjs <<'PROGRAM'
import { unmarshall } from '@aws-sdk/util-dynamodb';
import size from 'dyno-item-size';

const { createTable, dynamodb } = await import(process.env.CLIENT);
const port = process.argv[2];
await createTable(port, 'teams');
const members = Array.from({ length: 300 }, (_, at) => `member${100 + at}`);
for (const attribute of [{ SS: members }, { L: members.map((S) => ({ S })) }]) {
  const Item = { PK: { S: 'team#1' }, members: attribute };
  const { ConsumedCapacity } = await dynamodb(port, 'PutItem', {
    ...{ TableName: 'teams', Item, ReturnConsumedCapacity: 'TOTAL' },
  });
  const item = unmarshall(Item);
  console.log(
    `${attribute.SS ? 'set' : 'list'} of 300: dyno-item-size ${size(item)} bytes, ${size.write(item)} units; ` +
      `dynoxide ${ConsumedCapacity.CapacityUnits} units`,
  );
}
PROGRAM
node program.mjs "$PORT" >seen
expect <<'SEEN'
set of 300: dyno-item-size 18 bytes, 1 units; dynoxide 3 units
list of 300: dyno-item-size 2718 bytes, 3 units; dynoxide 3 units
SEEN
