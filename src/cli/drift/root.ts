import type { Item, ItemKey } from '../../model/item.ts';
import type { ScanPort, TablePort } from '../../worker/ports.ts';
import type { Selection } from '../../worker/verify/inspect.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/arguments.ts';
import { keyJson } from '../output/text.ts';

/** The root that a command is about, and what of the selected rules and aggregates it concerns. */
export interface Root {
  readonly key: ItemKey;
  readonly item: Item;
  readonly selected: Selection;
}

/** @throws UsageError `usage.root` if no rule has such a root, or the root does not exist */
export async function rootNamed(
  name: string,
  selected: Selection,
  table: Pick<TablePort, 'get'>,
): Promise<Root> {
  const key = await readKey(name);
  const rules = selected.rules.filter(({ root }) => root.idsOf(key) !== undefined);
  const aggregates = selected.aggregates.filter(({ on }) => on.idsOf(key) !== undefined);
  if (rules.length + aggregates.length === 0)
    throw new UsageError(
      'usage.root',
      `Expected --root to be the key of a root of a selected rule, got ${keyJson(key)}: \`denorm rules\` shows the keys of roots`,
    );
  const item = await table.get(key);
  if (item !== undefined) return { key, item, selected: { rules, aggregates } };
  throw new UsageError(
    'usage.root',
    `Expected an item ${keyJson(key)}, found none: only an existing root says where its copies are`,
  );
}

/** A scan that gives a root alone. */
export function scanOf({ item }: Root): ScanPort {
  return { scan: async () => ({ entries: [item], next: undefined, units: 0 }) };
}
