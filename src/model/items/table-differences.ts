import { type KeyNames, keyParts, type TableNames } from './table-names.ts';

interface KeyElement {
  readonly AttributeName?: string | undefined;
  readonly KeyType?: string | undefined;
}

interface AttributeType {
  readonly AttributeName?: string | undefined;
  readonly AttributeType?: string | undefined;
}

/** A table as DynamoDB and CloudFormation describe it. */
export interface DescribedTable {
  readonly KeySchema?: readonly KeyElement[] | undefined;
  readonly AttributeDefinitions?: readonly AttributeType[] | undefined;
  readonly GlobalSecondaryIndexes?:
    | readonly {
        readonly IndexName?: string | undefined;
        readonly KeySchema?: readonly KeyElement[] | undefined;
        readonly Projection?: { readonly ProjectionType?: string | undefined } | undefined;
      }[]
    | undefined;
}

/** Between a table and the names that the rules use, a phrase for each; additional indexes are ignored. */
export function keyDifferences(names: TableNames, table: DescribedTable): readonly string[] {
  const keys = (schema: readonly KeyElement[] | undefined) => schemaText(schema, table.AttributeDefinitions);
  return [
    difference('key', keys(table.KeySchema), keysOf(names)),
    ...Object.values(names.indexes).flatMap((index) => {
      const found = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.name);
      if (found === undefined) return `no index ${index.name}`;
      const projection = found.Projection?.ProjectionType ?? 'unknown';
      return [
        difference(`index ${index.name} with key`, keys(found.KeySchema), keysOf(index)),
        difference(`index ${index.name} with projection`, projection, index.projection ?? projection),
      ];
    }),
  ].filter((text) => text !== undefined);
}

/** A key with its types, partition key before sort key: `PK (S) and SK (N)`, `Tenant (S) + Region (S) and At (N)`. */
export function schemaText(schema: readonly KeyElement[] = [], types: readonly AttributeType[] = []): string {
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

function keysOf(names: KeyNames): string {
  const { pk, sk } = keyParts(names);
  return [pk, sk]
    .filter((parts) => parts.length > 0)
    .map((parts) => parts.map(({ name, type }) => `${name} (${type})`).join(' + '))
    .join(' and ');
}

export function difference(what: string, found: string, expected: string): string | undefined {
  return found === expected ? undefined : `${what} ${found} instead of ${expected}`;
}
