import type { TableNames } from '../../../model/table-names.ts';

interface KeyPart {
  readonly AttributeName?: string | undefined;
  readonly KeyType?: string | undefined;
}

interface AttributeDefinition {
  readonly AttributeName?: string | undefined;
  readonly AttributeType?: string | undefined;
}

/** Keys and indexes of a table, as DescribeTable and a template name them. */
export interface TableKeys {
  readonly KeySchema?: readonly KeyPart[] | undefined;
  readonly AttributeDefinitions?: readonly AttributeDefinition[] | undefined;
  readonly GlobalSecondaryIndexes?:
    | readonly {
        readonly IndexName?: string | undefined;
        readonly KeySchema?: readonly KeyPart[] | undefined;
        readonly Projection?: { readonly ProjectionType?: string | undefined } | undefined;
      }[]
    | undefined;
}

/**
 * Differences between a table and the names that the rules use: keys and indexes, each with one string for its partition
 * key and one for its sort key. One phrase for each difference; empty if there are none. Additional indexes are ignored.
 */
export function keyDifferences(names: TableNames, table: TableKeys): readonly string[] {
  const keys = (schema: readonly KeyPart[] | undefined) => keyText(schema, table.AttributeDefinitions);
  return [
    difference('key', keys(table.KeySchema), stringKeys(names)),
    ...Object.values(names.indexes).flatMap((index) => {
      const found = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.name);
      if (found === undefined) return `no index ${index.name}`;
      const projection = found.Projection?.ProjectionType ?? 'unknown';
      return [
        difference(`index ${index.name} with key`, keys(found.KeySchema), stringKeys(index)),
        difference(`index ${index.name} with projection`, projection, index.projection ?? projection),
      ];
    }),
  ].filter((text) => text !== undefined);
}

/** A key with its types, partition key before sort key: `PK (S) and SK (N)`, `Tenant (S) + Region (S) and At (N)`. */
export function keyText(schema: readonly KeyPart[] = [], types: readonly AttributeDefinition[] = []): string {
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

function stringKeys({ pk, sk }: { readonly pk: string; readonly sk: string }): string {
  return `${pk} (S) and ${sk} (S)`;
}

export function difference(what: string, found: string, expected: string): string | undefined {
  return found === expected ? undefined : `${what} ${found} instead of ${expected}`;
}
