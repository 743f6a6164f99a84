import { describe, expect, test, vi } from 'vitest';
import { tableLine } from '../../../../scripts/smoke/stack-state.ts';
import { describeWhere, openWhere } from '../../../../src/cli/options/where.ts';
import { connect } from '../../../../src/operate/adapters/connection.ts';
import { describeTable } from '../../../../src/operate/adapters/dynamodb/describe-table.ts';
import { startStub } from '../../../worker/adapters/dynamodb/stub-dynamodb.ts';
import { names, tableName } from '../../../worker/adapters/dynamodb/table-fixture.ts';

const keySchema = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => [
  { AttributeName: pk, KeyType: 'HASH' },
  { AttributeName: sk, KeyType: 'RANGE' },
];

/** A table with this multi-Region consistency, keys of these types, more attributes in the keys of its indexes, and this status. */
async function tableWith(
  MultiRegionConsistency: string | undefined,
  types: Readonly<Record<string, string>> = {},
  more: readonly (readonly [name: string, type: string])[] = [],
  { IndexStatus, StreamViewType }: Readonly<Record<string, string>> = {},
) {
  const indexes = Object.values(names.indexes);
  const GlobalSecondaryIndexes = indexes.map((index) => ({
    ...{ IndexName: index.name, IndexStatus },
    KeySchema: [...keySchema(index), ...more.map(([AttributeName, KeyType]) => ({ AttributeName, KeyType }))],
  }));
  const AttributeDefinitions = [
    ...[names, ...indexes].flatMap(({ pk, sk }) => [pk, sk]),
    ...more.map(([name]) => name),
  ].map((AttributeName) => ({ AttributeName, AttributeType: types[AttributeName] ?? 'S' }));
  const Table = {
    ...{ KeySchema: keySchema(names), AttributeDefinitions, GlobalSecondaryIndexes, MultiRegionConsistency },
    StreamSpecification: { StreamEnabled: true, StreamViewType },
  };
  return startStub(() => ({ result: { Table } }));
}

describe('a table', () => {
  test.each([undefined, 'EVENTUAL'])(
    'with consistency %s between Regions has no limitation',
    async (mode) => {
      const { client } = await tableWith(mode);

      expect(await describeTable(client, tableName, names)).toMatchObject({ limitation: undefined });
    },
  );

  test('with multi-Region strong consistency has its limitation in one sentence', async () => {
    const { client } = await tableWith('STRONG');

    expect((await describeTable(client, tableName, names)).limitation).toBe(
      `Table ${tableName} is a global table with multi-Region strong consistency, which supports neither transactions nor TTL: copies are updated, but not removed or moved, and nothing expires`,
    );
  });
});

test.each([
  [
    { IndexStatus: 'CREATING', StreamViewType: 'NEW_AND_OLD_IMAGES' },
    { building: ['ByTag', 'Turned'], hasStream: true },
  ],
  [
    { IndexStatus: 'ACTIVE', StreamViewType: 'NEW_IMAGE' },
    { building: [], hasStream: false },
  ],
])('with the status %j is described as %j', async (status, description) => {
  const { client } = await tableWith(undefined, {}, [], status);

  expect(await describeTable(client, tableName, names)).toMatchObject(description);
});

test('whose index holds less than the names say is refused, and one whose names say nothing is not', async () => {
  const { client } = await tableWith(undefined);
  const indexes = {
    tags: { ...names.indexes['tags'], name: 'ByTag', pk: 'TagPk', sk: 'TagSk', projection: 'ALL' },
  } as const;

  await expect(describeTable(client, tableName, { ...names, indexes })).rejects.toMatchObject({
    code: 'table.other-shape',
    message: expect.stringContaining('index ByTag'),
  });
  expect(await describeTable(client, tableName, names)).toMatchObject({ building: [] });
});

describe('a table is refused, and the message says what differs, if it has', () => {
  test.each<[string, Parameters<typeof tableWith>, string]>([
    [
      'several attributes for a partition key of an index',
      [undefined, {}, [['Tenant', 'HASH']]],
      'index ByTag with key TagPk (S) + Tenant (S) and TagSk (S) instead of TagPk (S) and TagSk (S)',
    ],
    [
      'several attributes for a sort key of an index',
      [undefined, {}, [['At', 'RANGE']]],
      'index ByTag with key TagPk (S) and TagSk (S) + At (S) instead of TagPk (S) and TagSk (S)',
    ],
    ['a key that is no string', [undefined, { [names.sk]: 'N' }], `${names.sk} (N) instead of`],
  ])('%s', async (_, table, difference) => {
    const { client } = await tableWith(...table);

    await expect(describeTable(client, tableName, names)).rejects.toMatchObject({
      code: 'table.other-shape',
      message: expect.stringContaining(difference),
    });
  });
});

test('an operator’s command prints the limitation, and continues', async () => {
  const { endpoint } = await tableWith('STRONG');
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const where = await openWhere({ table: tableName, endpoint });

  await describeWhere(where, names);

  where.close();
  expect(printed.mock.calls).toEqual([
    [expect.stringMatching(/^denorm: Table .* supports neither transactions nor TTL/)],
  ]);
  printed.mockRestore();
});

test.each([
  ['STRONG', 'failed', 'supports neither transactions nor TTL'],
  ['EVENTUAL', 'passed', 'as expected'],
])('npm run smoke has a line for the table: %s %s', async (mode, status, detail) => {
  const { endpoint } = await tableWith(mode);
  const connection = connect({
    ...{ endpoint, region: 'eu-west-1' },
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });

  expect(await tableLine(connection, tableName, names)).toMatchObject({
    ...{ check: 'table', status, detail: expect.stringContaining(detail) },
  });
  connection.close();
});
