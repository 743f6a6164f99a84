import type { TableNames } from '../../../model/table-names.ts';
import { difference, keyDifferences } from '../../../operate/adapters/dynamodb/key-schema.ts';
import { LocalError } from '../errors.ts';
import type { TableDefinition } from '../template.ts';

/**
 * Verifies that the template's table has the names that the rules use. Under other names, rules would find nothing, or
 * items would never expire. Additional indexes of the template are fine.
 * @throws LocalError `template.outdated`, which names each difference
 */
export function requireTable(names: TableNames, definition: TableDefinition): void {
  const differences = [
    ...keyDifferences(names, definition),
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
