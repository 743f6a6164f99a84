import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  ExecuteTransactionCommand,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { startGuard } from '../../../src/dev/table/guard.ts';
import { listUpdates } from '../../../src/dev/table/list-updates.ts';
import { type LocalTestTable, startLocalTable } from '../local-table.ts';

let table: LocalTestTable;
let guard: Awaited<ReturnType<typeof startGuard>>;
let client: DynamoDBDocumentClient;
let cases = 0;

beforeAll(async () => {
  table = await startLocalTable();
  guard = await startGuard(table.endpoint, 0, { correction: listUpdates });
  client = DynamoDBDocumentClient.from(new DynamoDBClient(loopbackClientSettings(guard.endpoint)));
});

afterAll(async () => {
  client.destroy();
  await guard.close();
  await table.close();
});

const lists = { l: [...'abcdef'], m: { l: [...'abc'] }, q: [[...'abc'], [...'def'], ['g']] };

async function stored() {
  const Key = { PK: `case ${++cases}`, SK: 'a' };
  await client.send(new PutCommand({ TableName: table.name, Item: { ...Key, ...lists } }));
  return Key;
}

const read = async (Key: Record<string, string>) =>
  (await client.send(new GetCommand({ TableName: table.name, Key }))).Item;

/** The update with just the placeholders that it uses. */
function updateOf(Key: Record<string, string>, UpdateExpression: string) {
  const used = <Value>(all: Record<string, Value>) => {
    const entries = Object.entries(all).filter(([name]) => UpdateExpression.includes(name));
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  return {
    ...{ TableName: table.name, Key, UpdateExpression },
    ExpressionAttributeNames: used({ '#l': 'l', '#remove': 'm' }),
    ExpressionAttributeValues: used({ ':v': 'V', ':w': 'W', ':n': 1 }),
  };
}

test.each<[string, object]>([
  ['REMOVE l[1], l[2]', { l: [...'adef'] }],
  ['remove l[4], l[0], l[2], l[9]', { l: [...'bdf'] }],
  ['REMOVE #l[1], l [2], m . l[0], m.l[1]', { l: [...'adef'], m: { l: ['c'] } }],
  ['REMOVE l[1], #remove , l[2]', { l: [...'adef'], m: undefined }],
  ['REMOVE q[0], q[1][0], q[1][1], q[2][0]', { q: [['f'], []] }],
  ['REMOVE l[1], l[2] SET l[4] = :v, s = l[3]', { l: [...'adVf'], s: 'd' }],
  ['SET l[6] = :v, l[7] = :w REMOVE l[0], l[1]', { l: [...'cdefVW'] }],
  ['SET l[0] = l[1], l[1] = if_not_exists(l[0], :v) REMOVE l[2], l[3]', { l: [...'baef'] }],
  ['REMOVE l[0], l[1] ADD n :n', { l: [...'cdef'], n: 1 }],
])('%s counts every index before the update', async (expression, expected) => {
  const [Key, other] = [await stored(), await stored()];

  await client.send(new UpdateCommand(updateOf(Key, expression)));
  await client.send(
    new TransactWriteCommand({
      TransactItems: [
        { Update: updateOf(other, expression) },
        { Put: { TableName: table.name, Item: { ...other, SK: 'b' } } },
      ],
    }),
  );

  expect(await read(Key)).toEqual({ ...Key, ...lists, ...expected });
  expect(await read(other)).toEqual({ ...other, ...lists, ...expected });
});

test.each([
  ['REMOVE q[0] ADD q[1][0] :n', /^Expected ADD .*, got q\[1\]\[0\] :n, .*: use SET$/],
  ['SET l[6] = :v, #l[8] = :w', /^Expected SET .*, \[6\], got #l\[8\]: .* use list_append$/],
  ['SET m.l[9] = :v REMOVE l[0]', /^Expected SET .*, \[3\], got m\.l\[9\]: /],
])('%s is refused, and changes nothing', async (expression, message) => {
  const Key = await stored();
  const refused = { name: 'ValidationException', message: expect.stringMatching(message) };

  await expect(client.send(new UpdateCommand(updateOf(Key, expression)))).rejects.toMatchObject(refused);
  const transaction = new TransactWriteCommand({ TransactItems: [{ Update: updateOf(Key, expression) }] });
  await expect(client.send(transaction)).rejects.toMatchObject(refused);
  expect(await read(Key)).toEqual({ ...Key, ...lists });
});

test.each([
  ['REMOVE l[0],', /[Ss]yntax/],
  ['REMOVE l[0] l[1]', /[Ss]yntax/],
  ['REMOVE l[0], l[0]', /overlap/],
  ['SET gone[0] = :v', /document path/],
])('what is wrong in %s is left for the server to say', async (expression, message) => {
  await expect(client.send(new UpdateCommand(updateOf(await stored(), expression)))).rejects.toMatchObject({
    name: 'ValidationException',
    message: expect.stringMatching(message),
  });
});

test('a statement removes one element of a list, and is refused if it removes several', async () => {
  const { PK, SK } = await stored();
  const statement = (change: string) =>
    `UPDATE "${table.name}" ${change} WHERE PK = '${PK}' AND SK = '${SK}'`;
  const refused = {
    name: 'ValidationException',
    message: expect.stringMatching(/^Expected a statement to remove at most one .*: use UpdateItem$/),
  };

  await client.send(
    new ExecuteStatementCommand({ Statement: statement("SET t = 'REMOVE l[1], l[2] WHERE'") }),
  );
  await client.send(new ExecuteStatementCommand({ Statement: statement('REMOVE "l"[1], m.l') }));
  expect(await read({ PK, SK })).toMatchObject({ l: [...'acdef'], m: {} });
  const several = statement('REMOVE "l"[1], l[2]');
  await expect(client.send(new ExecuteStatementCommand({ Statement: several }))).rejects.toMatchObject(
    refused,
  );
  await expect(
    client.send(new ExecuteTransactionCommand({ TransactStatements: [{ Statement: several }] })),
  ).rejects.toMatchObject(refused);
});
