import { expect, test, vi } from 'vitest';
import { describedTable, openTableServices } from '../../../../src/cli/options/services.ts';
import type { TableNames } from '../../../../src/model/items/table-names.ts';
import { describeTable, streamBeganAt } from '../../../../src/operate/adapters/dynamodb/describe-table.ts';
import { startStub } from '../../../worker/adapters/dynamodb/stub-dynamodb.ts';
import { names, tableName } from '../../../worker/adapters/dynamodb/table-fixture.ts';

interface Described {
  readonly TableArn?: string;
  readonly TableId?: string;
  readonly MultiRegionConsistency?: string;
  /** Types of attributes, if they are not strings. */
  readonly types?: Readonly<Record<string, string>>;
  /** Another attribute in the key of each index. */
  readonly more?: { readonly AttributeName: string; readonly KeyType: string };
  readonly IndexStatus?: string;
  readonly StreamViewType?: string;
  readonly LatestStreamLabel?: string;
  /** In epoch seconds. */
  readonly CreationDateTime?: number;
}

const keySchema = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => [
  { AttributeName: pk, KeyType: 'HASH' },
  { AttributeName: sk, KeyType: 'RANGE' },
];

/** A server whose table has the keys and indexes of the names, but for this. */
async function tableWith({ types = {}, more, IndexStatus, StreamViewType, ...others }: Described = {}) {
  const indexes = Object.values(names.indexes);
  const attributes = [names, ...indexes].flatMap(({ pk, sk }) => [pk, sk]);
  const Table = {
    KeySchema: keySchema(names),
    ...others,
    StreamSpecification: { StreamEnabled: true, StreamViewType },
    AttributeDefinitions: [...attributes, ...(more ? [more.AttributeName] : [])].map((AttributeName) => ({
      ...{ AttributeName, AttributeType: types[AttributeName] ?? 'S' },
    })),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      ...{ IndexName: index.name, IndexStatus },
      KeySchema: [...keySchema(index), ...(more ? [more] : [])],
    })),
  };
  return startStub(() => ({ result: { Table } }));
}

const limitation = `Table ${tableName} is a global table with multi-Region strong consistency, which supports neither transactions nor TTL: copies are updated, but not removed or moved, and nothing expires`;

test.each<[Described, object]>([
  [{}, { limitation: undefined }],
  [{}, { id: tableName }],
  [{ TableArn: 'arn:aws:dynamodb:us-east-1:1:table/app' }, { id: 'arn:aws:dynamodb:us-east-1:1:table/app' }],
  [{ TableArn: 'arn:table/app', TableId: '443b7b29' }, { id: 'arn:table/app 443b7b29' }],
  [{ MultiRegionConsistency: 'EVENTUAL' }, { limitation: undefined }],
  [{ MultiRegionConsistency: 'STRONG' }, { limitation }],
  [
    { IndexStatus: 'CREATING', StreamViewType: 'NEW_AND_OLD_IMAGES' },
    { building: ['ByTag', 'Turned'], hasStream: true },
  ],
  [
    { IndexStatus: 'ACTIVE', StreamViewType: 'NEW_IMAGE' },
    { building: [], hasStream: false },
  ],
])('a table with %j is described as %j', async (described, description) => {
  const { client } = await tableWith(described);

  expect(await describeTable(client, tableName, names)).toMatchObject(description);
});

const tags = { name: 'ByTag', pk: 'TagPk', sk: 'TagSk', projection: 'ALL' } as const;
test.each<[Described, TableNames, string]>([
  [
    { more: { AttributeName: 'Tenant', KeyType: 'HASH' } },
    names,
    'index ByTag with key TagPk (S) + Tenant (S) and TagSk (S) instead of TagPk (S) and TagSk (S)',
  ],
  [
    { more: { AttributeName: 'At', KeyType: 'RANGE' } },
    names,
    'index ByTag with key TagPk (S) and TagSk (S) + At (S) instead of TagPk (S) and TagSk (S)',
  ],
  [{ types: { [names.sk]: 'N' } }, names, `${names.sk} (N) instead of`],
  [{}, { ...names, indexes: { tags } }, 'index ByTag with projection unknown instead of ALL'],
  [{}, { ...names, indexes: { gone: { ...tags, name: 'Gone' } } }, 'no index Gone'],
])(
  'a table with %j is refused, and the message says what differs',
  async (described, expected, difference) => {
    const { client } = await tableWith(described);

    await expect(describeTable(client, tableName, expected)).rejects.toMatchObject({
      code: 'table.other-shape',
      message: expect.stringContaining(difference),
    });
  },
);

test('an operator’s command prints the limitation, and continues', async () => {
  const { endpoint } = await tableWith({ MultiRegionConsistency: 'STRONG' });
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const services = await openTableServices({ table: tableName, endpoint });

  await describedTable(services, names);

  services.close();
  expect(printed.mock.calls).toEqual([[`denorm: ${limitation}`]]);
  printed.mockRestore();
});

const enabledAt = Date.UTC(2026, 0, 31, 14);

test.each<[string, number | undefined, number | undefined]>([
  ['with the table', 50, undefined],
  ['later', 70, enabledAt],
  ['in a table of unknown age', undefined, undefined],
])('a stream that was enabled %s says since when it has changes', async (_, seconds, expected) => {
  const stub = await tableWith({
    LatestStreamLabel: '2026-01-31T14:00:00.000',
    ...(seconds !== undefined && { CreationDateTime: enabledAt / 1000 - seconds }),
  });

  expect(await streamBeganAt(stub.client, tableName)).toBe(expected);
});
