import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { connect } from '../../../src/operate/adapters/connection.ts';
import { editAttribute } from '../../../src/page/views/edit-attribute.ts';
import { table } from '../../../src/table.ts';
import { dynamoDbTable } from '../../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { type LocalTestTable, startLocalTable } from '../../dev/local-table.ts';

const key = { pk: 'USER#1', sk: '#METADATA' };
let local: LocalTestTable;
let app: ApplicationTable;
let connection: ReturnType<typeof connect>;

beforeAll(async () => {
  local = await startLocalTable();
  app = new ApplicationTable(local.endpoint, 'app', table);
  connection = connect(loopbackClientSettings(local.endpoint));
});

afterAll(async () => {
  app.close();
  connection.close();
  await local.close();
});

beforeEach(() => app.put({ PK: key.pk, SK: key.sk, username: 'Ada' }));

function edit(attribute: string, value?: unknown, of = key): Promise<void> {
  const port = dynamoDbTable({ client: connection.dynamoDb, tableName: 'app', table });
  return editAttribute(port, table, { key: of, attribute, value });
}

test('an edit sets or removes an attribute', async () => {
  await edit('age', { N: '36' });
  await edit('username');

  expect(await app.get(key)).toEqual({ PK: key.pk, SK: key.sk, age: 36 });
});

test.each([
  ['PK', { S: 'USER#2' }, /the attribute to be another one than PK and SK/],
  ['age', { N: 'many' }, /numbers of at most 38 digits in ages?,/],
  ['age', { N: '1'.repeat(39) }, /numbers of at most 38 digits in ages?,/],
  ['ages', { L: [{ M: { a: { NS: ['1', 'secret'] } } }] }, /numbers of at most 38 digits in ages?,/],
  ['tags', { SS: [] }, /a value of tags that DynamoDB takes.*a set has members/],
  ['age', { N: 36 }, /the value to be DynamoDB JSON/],
  ['age', 'secret', /the value to be DynamoDB JSON/],
  ['GSI1PK', { N: '1' }, /a value of GSI1PK that DynamoDB takes.*a key of an index is a text/],
  ['GSI1SK', { S: '' }, /a value of GSI1SK that DynamoDB takes/],
  ['large', { S: 'x'.repeat(500_000) }, /a value of large that DynamoDB takes.*400 KB/],
])('an edit of %s to %j is refused with its field and the reason', async (attribute, value, message) => {
  await expect(edit(attribute, value)).rejects.toMatchObject({
    code: 'page.edit',
    message: expect.stringMatching(message),
  });
  await expect(edit(attribute, value)).rejects.not.toThrow('secret');
});

test('an edit of an item that does not exist makes none', async () => {
  const other = { pk: 'USER#2', sk: '#METADATA' };

  await expect(edit('age', { N: '1' }, other)).rejects.toThrow(/Expected the item to exist/);
  expect(await app.get(other)).toBeUndefined();
});
