import type { TableNames } from '../../model/table-names.ts';
import { LocalError } from '../errors.ts';
import type { TableDefinition } from '../template.ts';

/**
 * Verifies that the template's table has the names that the rules use. Under other names, rules would find nothing, or
 * items would never expire. Additional indexes of the template are fine.
 * @throws LocalError `template.outdated`, which names each difference
 */
export function requireTable(names: TableNames, definition: TableDefinition): void {
  const indexes = definition.GlobalSecondaryIndexes;
  const differences = [
    difference('key', keyText(definition.KeySchema), `${names.pk} and ${names.sk}`),
    ...Object.values(names.indexes).flatMap(({ name, pk, sk, projection }) => {
      const found = indexes.find(({ IndexName }) => IndexName === name);
      if (found === undefined) return `no index ${name}`;
      const { ProjectionType } = found.Projection;
      return [
        difference(`index ${name} with key`, keyText(found.KeySchema), `${pk} and ${sk}`),
        difference(`index ${name} with projection`, ProjectionType, projection ?? ProjectionType),
      ];
    }),
    difference('TTL attribute', definition.TimeToLiveSpecification?.AttributeName ?? 'none', names.ttl),
    difference('stream of', definition.StreamSpecification.StreamViewType, 'NEW_AND_OLD_IMAGES'),
  ].filter((text) => text !== undefined);
  if (differences.length > 0)
    throw new LocalError(
      'template.outdated',
      `Expected the table of template.yaml to have the names of denorm.config.ts, found others (${differences.join('; ')}): ` +
        'run `npx denorm template`, or correct the names in the config',
    );
}

function difference(what: string, found: string, expected: string): string | undefined {
  return found === expected ? undefined : `${what} ${found} instead of ${expected}`;
}

/** Partition key before sort key. */
function keyText(schema: TableDefinition['KeySchema']): string {
  return [...schema]
    .sort((a, b) => a.KeyType.localeCompare(b.KeyType))
    .map(({ AttributeName }) => AttributeName)
    .join(' and ');
}
