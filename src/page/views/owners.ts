import { type Item, type ItemKey, keyIn } from '../../model/items/item.ts';
import { indexParts, isKeyName } from '../../model/items/table-names.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { BoundRule, BoundWriter } from '../../model/rules/bound-rule.ts';
import { entryIn, isHead, isOfLedger, targetNamed } from '../../model/rules/ledger.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { owns, sourceName, writtenKind } from '../../model/rules/rule-attributes.ts';
import { isExcluded, rootOrFault } from '../../plan/rule-functions.ts';
import type { Owner, OwnItem } from '../protocol/views.ts';

/** Who writes each attribute of an item, by its name. Without an entry, it is the application's. */
export function ownersOf(registry: Registry, item: Item): Readonly<Record<string, Owner>> {
  const names = Object.keys(item);
  const own = ownItem(registry, item);
  if (own !== undefined)
    return Object.fromEntries(
      names.map((name) => [
        name,
        isKeyName(registry.table, name) ? { text: 'its key' } : { text: 'computed', rule: own.rule },
      ]),
    );
  const owners: Record<string, Owner> = {};
  for (const name of names) {
    if (isKeyName(registry.table, name)) owners[name] = { text: 'its key' };
    else if (name === registry.table.ttl) owners[name] = { text: 'you: its expiry' };
    else if (name === registry.table.type) owners[name] = { text: 'you: its kind' };
    else if (indexParts(registry.table).has(name)) owners[name] = { text: 'you: a key of an index' };
  }
  for (const writer of [...registry.rules, ...registry.aggregates]) {
    const from = isOfKind(writtenKind(writer), item) ? sourceOf(writer, item) : undefined;
    if (from === undefined) continue;
    for (const name of names) if (owns(writer, name)) owners[name] = ownerBy(writer, name, from);
  }
  return owners;
}

/** Its root, which is unknown where the item is invalid, or the item itself. */
type Source = ItemKey | 'unknown' | 'itself';

/** What a rule writes this item from. Undefined if the rule leaves it alone. */
function sourceOf(writer: BoundWriter, item: Item): Source | undefined {
  if (writer.is === 'aggregate') return keyIn(writer.table, item);
  if (writer.located.in === 'itself') return isExcluded(writer, item) ? undefined : 'itself';
  const root = rootOrFault(writer, item);
  return root instanceof Error ? 'unknown' : root;
}

function ownerBy(writer: BoundWriter, name: string, from: Source): Owner {
  const rule = writer.name;
  if (writer.is === 'aggregate') return { text: 'computed', rule };
  if (from === 'itself') return { text: 'derived', rule };
  if (from === 'unknown')
    return { text: `${isDerived(writer, name) ? 'derived' : 'copied'} from an unknown root`, rule };
  if (isDerived(writer, name)) return { text: 'derived from', root: from, rule };
  const source = sourceName(writer, name);
  return { text: source === name ? 'copied from' : `copied from ${source} of`, root: from, rule };
}

function isDerived({ derive }: BoundRule, name: string): boolean {
  return Object.hasOwn(derive, name);
}

/** Whether an item is the worker's own: an entry or a head of a ledger. */
export function ownItem({ table, aggregates }: Registry, item: Item): OwnItem | undefined {
  const key = keyIn(table, item);
  const aggregate = aggregates.find((one) => isOfLedger(one, key));
  if (aggregate === undefined) return undefined;
  const entry = entryIn(aggregate, key, item);
  const target = entry?.target ?? (isHead(aggregate, key) ? targetNamed(item) : undefined);
  return { rule: aggregate.name, target, member: entry?.member };
}
