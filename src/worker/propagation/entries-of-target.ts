import type { Aggregate } from '../../model/aggregate.ts';
import { chunksOf } from '../../model/chunks-of.ts';
import { byKeyText, type ItemKey, keysIn, keyText } from '../../model/item.ts';
import { entryKey } from '../../model/ledger.ts';
import type { Computation } from './computation.ts';
import type { Propagation } from './context.ts';
import { readOrMissing } from './copy-pages.ts';
import { holding, mostBytes } from './item-memory.ts';
import { naming } from './message-parts.ts';
import { planEntry } from './plan/plan-entry.ts';

/** Entries that one transaction writes beside their head. Source: AWS, "TransactWriteItems": 100 actions. */
const pageSize = 99;

/**
 * The entries of the members that a message names, read before their members. Each write of an entry has a record, which names the
 * member again: so the last write of an entry is what its member counts for.
 */
export function entriesOfTarget(
  aggregate: Aggregate,
  { context, message }: Propagation,
  named: readonly ItemKey[],
): Computation {
  const names = context.registry.table;
  const target = message.root;
  const entryOf = (member: ItemKey) => entryKey(aggregate, target, member);
  const members = new Map(named.map((member) => [keyText(entryOf(member)), member]));

  const withEntries = (entries: readonly ItemKey[]) => {
    const asked = new Set(entries.map(keyText));
    return [...members].flatMap(([entry, member]) => (asked.has(entry) ? [member] : []));
  };

  /** They are not held while their entries are written. */
  const membersOf = (keys: readonly ItemKey[]) =>
    holding(context.memory, mostBytes(keys.length), () => context.table.getMany(keys));

  return {
    locate: async (whole) => whole,
    async *pages() {
      const pages = chunksOf(named, pageSize);
      for (const [index, page] of pages.entries()) {
        const rest = pages.slice(index + 1).flat();
        yield {
          ...{ copies: [], missing: page.map(entryOf), size: page.length },
          following: rest.length === 0 ? undefined : { copies: rest },
        };
      }
    },
    pending: (_, { missing }) => readOrMissing(context, missing),
    async plan(_, { copies, missing }) {
      const read = byKeyText(names, copies);
      const asked = withEntries([...keysIn(names, copies), ...missing]);
      const items = byKeyText(names, await membersOf(asked));
      return asked.map((key) => {
        const [entry, item] = [read.get(keyText(entryOf(key))), items.get(keyText(key))];
        return planEntry(names, aggregate, target, { key, entry, item });
      });
    },
    readAgain: (keys) => readOrMissing(context, keys),
    naming: (whole, entries) => naming(whole, withEntries(entries)),
  };
}
