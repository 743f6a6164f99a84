import { allPages } from '../../model/all-pages.ts';
import type { ItemKey } from '../../model/item.ts';
import type { Cursor } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { TablePort } from '../../worker/ports.ts';
import { locationOf } from '../../worker/propagation/plan/rule-functions.ts';

/** About how many copies a root has by this rule; undefined if the root is gone. */
export async function countCopies(
  registry: Registry,
  table: TablePort,
  { rule: name, root: key }: { readonly rule: string; readonly root: ItemKey },
): Promise<number | undefined> {
  const rule = registry.rule(name);
  const root = await table.get(key);
  if (rule === undefined || root === undefined) return undefined;
  const location = locationOf(registry.table, rule, root);
  if (location.in === 'key') return 1;
  if (location.in === 'keys') return location.keys.length;
  let count = 0;
  for await (const { entries } of allPages((from?: Cursor) => table.query(location, 1_000, from)))
    count += entries.length;
  return count;
}
