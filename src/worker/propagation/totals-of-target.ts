import type { Aggregate } from '../../model/aggregate.ts';
import type { QueriedLocation } from '../../model/copy-location.ts';
import { unlessInvalid } from '../../model/errors.ts';
import { byKeyText, type Item, type ItemKey, keyText, withKey } from '../../model/item.ts';
import { ofKind } from '../../model/kind.ts';
import { headOf } from '../../model/ledger.ts';
import type { Computation } from './computation.ts';
import type { Propagation } from './context.ts';
import { copiesInLocations, type Reading } from './copy-pages.ts';
import { type CopiesRead, type CopyPlan, updateOf } from './plan/plan-copy.ts';
import { Totals } from './plan/totals.ts';

/** All members of the target are read each time, so a message names no items, and what is left of it is all of it. */
export function totalsOfTarget(aggregate: Aggregate, propagation: Propagation): Computation {
  const { context, message, tally } = propagation;
  const names = context.registry.table;

  /** A target that is not there gets no item; its own record computes it once it is. */
  async function read() {
    const target = ofKind(names, aggregate.on, await context.table.get(message.root));
    tally.absent = target === undefined ? 1 : 0;
    return { copies: target === undefined ? [] : [target], missing: [], unread: [] };
  }

  async function plan({ copies: [target] }: CopiesRead): Promise<readonly CopyPlan[] | undefined> {
    if (target === undefined) return [];
    const totals = await readTotals(context, aggregate, target);
    if (totals === undefined) return undefined;
    tally.skipped = totals.skipped.members;
    return [updateOf(totals, target)];
  }

  return {
    locate: async (whole) => whole,
    pages: async function* () {
      yield { ...(await read()), size: 1, following: undefined };
    },
    pending: async (_, page) => ({ ...page, unread: [] }),
    plan: (_, items) => plan(items),
    readAgain: read,
    naming: (whole) => whole,
  };
}

/** @returns undefined if the time was up @throws InvalidItemError that names the member, one of maybe thousands */
export async function readTotals(
  reading: Reading,
  aggregate: Aggregate,
  target: Item,
): Promise<Totals | undefined> {
  const names = reading.registry.table;
  const totals = new Totals(names, aggregate, target);
  if (aggregate.areHeads) {
    const heads = byKeyText(names, await reading.table.getMany(totals.locations.map(keyOfHead)));
    for (const location of totals.locations) {
      const head = heads.get(keyText(keyOfHead(location)));
      if (head !== undefined) totals.add(head, location);
    }
    return totals;
  }
  for await (const { copies, location, following } of copiesInLocations(reading, totals)) {
    unlessInvalid(
      () => {
        for (const member of copies) totals.add(member, location);
      },
      (error) => {
        throw error.concerns === 'member' ? withKey(names, error) : error;
      },
    );
    if (following === undefined) return totals;
    if (reading.outOfTime?.()) break;
  }
  return undefined;
}

/** A ledger's table has keys of text. */
function keyOfHead({ pk }: QueriedLocation): ItemKey {
  return headOf({ pk: String(pk) });
}
