import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { openDevEnvironment } from '../../src/dev/dev-environment.ts';
import type { LambdaEvent } from '../../src/dev/event-capture.ts';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import type { Change } from '../../src/model/items/change.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { settings } from '../fixtures/application/stack.ts';
import { newFolder } from '../suites/new-folder.ts';

async function opened() {
  const changes: Change[] = [];
  const records: LambdaEvent['Records'][number][] = [];
  const environment = await openDevEnvironment({
    ...{ registry: loadRules(), stack: settings, tableName: 'app', stateDir: newFolder() },
    onChange: (change) => void changes.push(change),
    onInvoked: async (_, { Records }) => void records.push(...Records),
  });
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient(loopbackClientSettings(environment.endpoint)),
  );
  onTestFinished(async () => {
    client.destroy();
    await environment.close();
  });
  return { client, environment, changes, records };
}

const Key = { PK: 'USER#1', SK: '#METADATA' };
const user = { ...Key, Type: 'User', userId: '1', username: 'Ada', score: 1, tags: new Set(['a', 'b']) };

test('a write that changes nothing is no change, as it has no record in DynamoDB', async () => {
  const { client, environment, changes, records } = await opened();
  for (const Item of [user, user, { ...user, tags: new Set(['b', 'a']) }, { ...user, username: 'Grace' }])
    await client.send(new PutCommand({ TableName: 'app', Item }));
  await client.send(new UpdateCommand({ TableName: 'app', Key, UpdateExpression: 'REMOVE never' }));
  await environment.idle();

  const names = changes.map(({ before, after }) => [before?.['username'], after?.['username']]);
  expect(names).toEqual([
    [undefined, { S: 'Ada' }],
    [{ S: 'Ada' }, { S: 'Grace' }],
  ]);
  expect(records).toHaveLength(2);
});

test('an application’s list loses the elements that DynamoDB would remove', async () => {
  const { client } = await opened();
  await client.send(new PutCommand({ TableName: 'app', Item: { ...user, marks: [...'abcd'] } }));
  await client.send(
    new UpdateCommand({ TableName: 'app', Key, UpdateExpression: 'REMOVE marks[1], marks[2]' }),
  );

  const { Item } = await client.send(new GetCommand({ TableName: 'app', Key }));
  expect(Item?.['marks']).toEqual([...'ad']);
});
