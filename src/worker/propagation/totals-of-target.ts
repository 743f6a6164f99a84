import type { Aggregate } from '../../model/aggregate.ts';
import { isOfKind } from '../../model/kind.ts';
import type { Computation, Propagation } from './context.ts';
import { type CopiesRead, type CopyPlan, updateOf } from './plan/plan-copy.ts';
import { readTotals } from './read-totals.ts';

/** All members of the target are read each time, so a message names no items, and what is left of it is all of it. */
export function totalsOfTarget(aggregate: Aggregate, propagation: Propagation): Computation {
  const { context, message, tally } = propagation;
  const names = context.registry.table;

  /** A target that is not there gets no item; its own record computes it once it is. */
  async function read() {
    const target = await context.table.get(message.root);
    return { copies: target === undefined ? [] : [target], missing: [], unread: [] };
  }

  async function plan({ copies: [target] }: CopiesRead): Promise<readonly CopyPlan[] | undefined> {
    if (target === undefined || !isOfKind(names, aggregate.on, target)) return [];
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
