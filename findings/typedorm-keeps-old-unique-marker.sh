#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
typedorm keeps a unique attribute unique by a second item, named after the value. create with overwriteIfExists replaces the
entity and adds the marker of its new value, but leaves the old one: nobody can use the old value again, although no entity has
it. The markers have no type attribute.
WORDS
npm_install @typedorm/core@1.15.4 @typedorm/common@1.15.4 @typedorm/document-client@1.15.4 @aws-sdk/client-dynamodb@3.1169.0 @aws-sdk/lib-dynamodb@3.1169.0 reflect-metadata@0.1.14 @dynoxide/linux-x64@1.2.1
free_port
start dynoxide node_modules/@dynoxide/linux-x64/dynoxide serve --port "$PORT"
cat >program.cjs <<'PROGRAM'
require('reflect-metadata');
const { Attribute, Entity, Table } = require('@typedorm/common');
const { createConnection, getEntityManager } = require('@typedorm/core');
const { DocumentClientV3 } = require('@typedorm/document-client');
const { DynamoDBClient } = require('@aws-sdk/client-dynamodb');

class User {}
const attribute = (name, options) => {
  Reflect.defineMetadata('design:type', String, User.prototype, name);
  Attribute(options)(User.prototype, name);
};
attribute('id');
attribute('email', { unique: true });
const table = new Table({ name: 'users', partitionKey: 'PK' });
Entity({ name: 'user', table, primaryKey: { partitionKey: 'USER#{{id}}' } })(User);
const user = (id, email) => Object.assign(new User(), { id, email });

(async () => {
  const { createTable, dynamodb } = await import(process.env.CLIENT);
  const port = process.argv[2];
  await createTable(port, 'users');
  const client = new DynamoDBClient({
    ...{ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1' },
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  createConnection({ table, entities: [User], documentClient: new DocumentClientV3(client) });
  const manager = getEntityManager();
  await manager.create(user('1', 'old@example.com'));
  await manager.create(user('1', 'new@example.com'), { overwriteIfExists: true });
  const { Items } = await dynamodb(port, 'Scan', { TableName: 'users' });
  for (const { PK, email, __en } of Items.sort((one, other) => (one.PK.S < other.PK.S ? -1 : 1)))
    console.log(`${PK.S}: type ${__en?.S ?? 'none'}, email ${email?.S ?? 'none'}`);
  const outcome = await manager.create(user('2', 'old@example.com')).then(() => 'created', ({ name }) => name);
  console.log(`another user with old@example.com: ${outcome}`);
})();
PROGRAM
node program.cjs "$PORT" >seen
expect <<'SEEN'
DRM_GEN_USER.EMAIL#new@example.com: type none, email none
DRM_GEN_USER.EMAIL#old@example.com: type none, email none
USER#1: type user, email new@example.com
another user with old@example.com: TransactionCancelledException
SEEN
