import { type KeyNames, keyParts, type TableNames } from './table-names.ts';

type KeySchema = readonly {
  readonly AttributeName?: string | undefined;
  readonly KeyType?: string | undefined;
}[];

/** A table as DynamoDB and CloudFormation describe it. */
export interface DescribedTable {
  readonly KeySchema?: KeySchema | undefined;
  readonly AttributeDefinitions?:
    | readonly { readonly AttributeName?: string | undefined; readonly AttributeType?: string | undefined }[]
    | undefined;
  readonly GlobalSecondaryIndexes?:
    | readonly {
        readonly IndexName?: string | undefined;
        readonly KeySchema?: KeySchema | undefined;
        readonly Projection?: { readonly ProjectionType?: string | undefined } | undefined;
      }[]
    | undefined;
}

/** The keys and indexes of a table with these names. */
export function describedTable(names: TableNames) {
  const indexes = Object.values(names.indexes);
  const types = new Map(
    [names, ...indexes].flatMap((keys) => keyParts(keys).all.map(({ name, type }) => [name, type])),
  );
  return {
    AttributeDefinitions: [...types].map(([name, type]) => ({ AttributeName: name, AttributeType: type })),
    KeySchema: keySchema(names),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      ...(index.projection !== undefined && { Projection: { ProjectionType: index.projection } }),
    })),
  };
}

function keySchema(keys: KeyNames) {
  const { pk, sk } = keyParts(keys);
  return [
    ...pk.map(({ name }) => ({ AttributeName: name, KeyType: 'HASH' })),
    ...sk.map(({ name }) => ({ AttributeName: name, KeyType: 'RANGE' })),
  ];
}

/** How a table differs from the expected one, a phrase for each; its other indexes are ignored, and projections that are not expected. */
export function tableDifferences(expected: DescribedTable, found: DescribedTable): readonly string[] {
  return [
    ...difference('key', schemaText(found, found.KeySchema), schemaText(expected, expected.KeySchema)),
    ...(expected.GlobalSecondaryIndexes ?? []).flatMap(({ IndexName: name, KeySchema, Projection }) => {
      const index = found.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name);
      if (index === undefined) return [`no index ${name}`];
      const projection = index.Projection?.ProjectionType ?? 'unknown';
      return [
        ...difference(
          `index ${name} with key`,
          schemaText(found, index.KeySchema),
          schemaText(expected, KeySchema),
        ),
        ...difference(`index ${name} with projection`, projection, Projection?.ProjectionType ?? projection),
      ];
    }),
  ];
}

export function difference(what: string, found: string, expected: string): readonly string[] {
  return found === expected ? [] : [`${what} ${found} instead of ${expected}`];
}

/** A key with its types, partition key before sort key: `PK (S) and SK (N)`, `Tenant (S) + Region (S) and At (N)`. */
function schemaText({ AttributeDefinitions: types = [] }: DescribedTable, schema: KeySchema = []): string {
  const typeOf = (name: string | undefined) =>
    types.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? '?';
  return ['HASH', 'RANGE']
    .map((type) => schema.filter(({ KeyType }) => KeyType === type))
    .filter((parts) => parts.length > 0)
    .map((parts) =>
      parts.map(({ AttributeName }) => `${AttributeName} (${typeOf(AttributeName)})`).join(' + '),
    )
    .join(' and ');
}
