import type { Aggregate } from '../../model/aggregate.ts';
import { chunksOf } from '../../model/chunks-of.ts';
import { byKeyText, type ItemKey, keyIn, keyText } from '../../model/item.ts';
import { entryKey } from '../../model/ledger.ts';
import type { Message } from '../../model/message.ts';
import type { Computation } from './computation.ts';
import type { Propagation } from './context.ts';
import { readOrMissing } from './copy-pages.ts';
import { holding, mostBytes } from './item-memory.ts';
import { naming } from './message-parts.ts';
import { planEntry } from './plan/plan-entry.ts';

/** Entries that one transaction writes beside their head. Source: AWS, "TransactWriteItems": 100 actions. */
const pageSize = 99;

/**
 * The entries of the members that a message names. They are read before their members, and after each write once more, until none
 * differs: so the last write of an entry is what its member counts for.
 */
export function entriesOfTarget(aggregate: Aggregate, { context, message }: Propagation): Computation {
  const names = context.registry.table;
  const target = message.root;
  const entryOf = (member: ItemKey) => entryKey(aggregate, target, member);
  const members = new Map((message.copies ?? []).map((member) => [keyText(entryOf(member)), member]));

  /** They are not held while their entries are written. */
  const membersOf = (keys: readonly ItemKey[]) =>
    holding(context.memory, mostBytes(keys.length), () => context.table.getMany(keys));

  return {
    locate: async (whole) => whole,
    async *pages({ copies = [] }: Message) {
      const pages = chunksOf(copies, pageSize);
      for (const [index, page] of pages.entries()) {
        const rest = pages.slice(index + 1).flat();
        yield {
          ...{ copies: [], missing: page.map(entryOf), stale: true, size: page.length },
          following: rest.length === 0 ? undefined : { copies: rest },
        };
      }
    },
    pending: (_, { missing }) => readOrMissing(context, missing),
    plansEmpty: () => false,
    async plan(_, { copies: entries, missing }) {
      const read = byKeyText(names, entries);
      const keys = [...entries.map((entry) => keyIn(names, entry)), ...missing].map(keyText);
      const asked = keys.flatMap((key) => members.get(key) ?? []);
      const items = byKeyText(names, await membersOf(asked));
      return keys.flatMap((key) => {
        const member = members.get(key);
        if (member === undefined) return [];
        return planEntry(names, aggregate, target, {
          ...{ key: member, entry: read.get(key), item: items.get(keyText(member)) },
        });
      });
    },
    readAgain: (keys) => readOrMissing(context, keys),
    naming: (whole, keys) =>
      naming(
        whole,
        keys.flatMap((key) => members.get(keyText(key)) ?? []),
      ),
  };
}
