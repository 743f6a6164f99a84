import type { Aggregate } from '../../model/aggregate.ts';
import type { Rule } from '../../model/rule.ts';
import type { ScanPort, TablePort } from '../../worker/ports.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/arguments.ts';
import { keyJson } from '../output/text.ts';

/**
 * A scan that gives one root of a rule, or one target of an aggregate, alone.
 * @throws UsageError `usage.root` if the rule has no such root, or the root does not exist
 */
export async function scanOfRoot(
  name: string,
  rule: Rule | Aggregate,
  table: Pick<TablePort, 'get'>,
): Promise<ScanPort> {
  const key = await readKey(name);
  const kind = 'computes' in rule ? rule.on : rule.root;
  if (kind.idsOf(key) === undefined)
    throw new UsageError(
      'usage.root',
      `Expected --root to be the key of a root of ${rule.name}, got ${keyJson(key)}: \`denorm rules\` shows the keys of roots`,
    );
  const item = await table.get(key);
  if (item !== undefined) return { scan: async () => ({ entries: [item], next: undefined, units: 0 }) };
  throw new UsageError(
    'usage.root',
    `Expected an item ${keyJson(key)}, found none: only an existing root says where its copies are`,
  );
}
