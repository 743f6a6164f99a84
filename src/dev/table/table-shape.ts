import type { KeySchemaElement, TableDescription } from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from '../template.ts';

/**
 * How a table differs from its definition in what cannot be changed later: keys with their types, indexes with keys
 * and projection, and what its stream holds. One phrase a difference; none means the same shape. Indexes that only
 * the table has are no difference.
 */
export function shapeDifferences(definition: TableDefinition, table: TableDescription): readonly string[] {
  const differences: string[] = [];
  const compare = (what: string, expected: string, found: string) => {
    if (expected !== found) differences.push(`${what} ${found} instead of ${expected}`);
  };
  const expectedTypes = types(definition.AttributeDefinitions);
  const foundTypes = types(table.AttributeDefinitions ?? []);

  compare('key', keyText(definition.KeySchema, expectedTypes), keyText(table.KeySchema, foundTypes));
  for (const index of definition.GlobalSecondaryIndexes) {
    const found = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.IndexName);
    if (found === undefined) {
      differences.push(`no index ${index.IndexName}`);
      continue;
    }
    const name = `index ${index.IndexName} with`;
    compare(`${name} key`, keyText(index.KeySchema, expectedTypes), keyText(found.KeySchema, foundTypes));
    compare(`${name} projection`, projectionText(index.Projection), projectionText(found.Projection));
  }
  const stream = table.StreamSpecification?.StreamEnabled
    ? table.StreamSpecification.StreamViewType
    : undefined;
  compare('stream', definition.StreamSpecification.StreamViewType, stream ?? 'none');
  return differences;
}

type AttributeTypes = ReadonlyMap<string | undefined, string>;

function types(
  definitions: readonly { AttributeName?: string | undefined; AttributeType?: string | undefined }[],
): AttributeTypes {
  return new Map(
    definitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType ?? '?']),
  );
}

/** Partition key before sort key, each with its type. */
function keyText(schema: readonly KeySchemaElement[] | undefined, attributeTypes: AttributeTypes): string {
  const parts = [...(schema ?? [])].sort((a, b) => (a.KeyType ?? '').localeCompare(b.KeyType ?? ''));
  return parts
    .map(({ AttributeName }) => `${AttributeName} (${attributeTypes.get(AttributeName) ?? '?'})`)
    .join(' and ');
}

function projectionText(
  projection: { ProjectionType?: string | undefined; NonKeyAttributes?: string[] | undefined } | undefined,
): string {
  const attributes = [...(projection?.NonKeyAttributes ?? [])].sort();
  return [projection?.ProjectionType ?? '?', ...attributes].join(' ');
}
