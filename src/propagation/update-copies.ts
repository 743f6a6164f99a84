import type { Expectation, GuardedRemoval, GuardedUpdate, WriteOutcome } from '../model/guarded-write.ts';
import type { Item, ItemKey } from '../model/item.ts';
import type { Message } from '../model/message.ts';
import type { Rule } from '../model/rule.ts';
import type { PropagationContext } from './context.ts';
import { type CopyPlan, planCopy } from './plan/plan-copy.ts';
import { deadLetter } from './requeue.ts';
import type { Tally } from './tally.ts';

/** The keys of copies that a few rounds did not bring up to date, each in one of the two. */
export interface LeftOver {
  /** Their conditions were lost in each round. */
  readonly lost: readonly ItemKey[];
  /** DynamoDB could not write them for now. */
  readonly unavailable: readonly ItemKey[];
}

/**
 * Brings these copies up to date, as read before the call; a lost condition means reading that copy, then the root,
 * again.
 */
export async function updateCopies(
  context: PropagationContext,
  rule: Rule,
  message: Message,
  copies: readonly Item[],
  tally: Tally,
): Promise<LeftOver> {
  const unavailable: ItemKey[] = [];
  let pending = copies;
  for (let round = 1; pending.length > 0; round += 1) {
    const root = rule.located.in === 'itself' ? pending[0] : await context.table.get(message.root);
    const snapshot = {
      rootKey: message.root,
      root,
      cause: message.cause,
      locations: message.locations ?? [],
    };
    const work = byAction(
      pending.map((copy) => planCopy(context.registry.table, rule, snapshot, copy)),
      tally,
    );
    const again = new Set<ItemKey>();
    for (const { key, outcome } of await write(context, message.root, work, tally)) {
      if (outcome === 'unavailable') unavailable.push(key);
      else if (outcome === 'refused')
        work.refused.push({
          copy: key,
          code: 'copy.refused',
          reason: 'DynamoDB refuses this write of this copy, whenever it is tried',
        });
      else again.add(key);
    }
    await deadLetterRefused(context, message, work.refused, tally);
    if (again.size === 0) break;
    if (round === context.settings.rounds || context.outOfTime()) return { lost: [...again], unavailable };
    pending = await context.table.getMany([...again]);
  }
  return { lost: [], unavailable };
}

type Update = Extract<CopyPlan, { is: 'update' }>;
type Removal = Extract<CopyPlan, { is: 'remove' }>;

interface Work {
  readonly updates: Update[];
  readonly removals: Removal[];
  /** The same for all removals of a round: they share one root, as just read. */
  rootExpect: 'absent' | Expectation;
  readonly refused: { readonly copy: ItemKey; readonly code: string; readonly reason: string }[];
}

function byAction(decisions: readonly CopyPlan[], tally: Tally): Work {
  const work: Work = { updates: [], removals: [], rootExpect: 'absent', refused: [] };
  for (const decision of decisions) {
    switch (decision.is) {
      case 'foreign':
        tally.foreign += 1;
        break;
      case 'orphan':
        tally.orphans += 1;
        break;
      case 'unchanged':
        tally.unchanged += 1;
        break;
      case 'update':
        work.updates.push(decision);
        break;
      case 'remove':
        work.removals.push(decision);
        work.rootExpect = decision.rootExpect;
        break;
      case 'refuse':
        work.refused.push({ copy: decision.copy, code: decision.error.code, reason: decision.error.message });
        break;
      default:
        decision satisfies never;
    }
  }
  return work;
}

interface Unfinished {
  readonly key: ItemKey;
  readonly outcome: Exclude<WriteOutcome, 'written'> | 'partial';
}

/** Writes what was decided, and says of which copies more is to be done. */
async function write(
  context: PropagationContext,
  root: ItemKey,
  work: Work,
  tally: Tally,
): Promise<Unfinished[]> {
  const { updates, removals, rootExpect } = work;
  const unfinished: Unfinished[] = [];
  function note(written: GuardedUpdate | GuardedRemoval, outcome: WriteOutcome): void {
    if (outcome === 'written') return;
    if (outcome === 'lost' || outcome === 'root') tally.lost += 1;
    unfinished.push({ key: written.key, outcome });
  }
  const updated = updates.length === 0 ? [] : await context.table.update(updates.map(({ update }) => update));
  updates.forEach(({ update, partial, narrowed }, index) => {
    const outcome = updated[index] ?? 'unavailable';
    note(update, outcome);
    if (outcome !== 'written') return;
    tally.written += 1;
    if (narrowed) tally.narrowed += 1;
    if (partial) unfinished.push({ key: update.key, outcome: 'partial' });
  });
  const removed =
    removals.length === 0
      ? []
      : await context.table.remove(
          { key: root, expect: rootExpect },
          removals.map(({ removal }) => removal),
        );
  removals.forEach(({ removal, partial }, index) => {
    const outcome = removed[index] ?? 'unavailable';
    note(removal, outcome);
    if (outcome !== 'written') return;
    tally.removed += 1;
    if (partial) unfinished.push({ key: removal.key, outcome: 'partial' });
  });
  return unfinished;
}

/** Dead-letters the copies that cannot be brought up to date, each by itself: the others go on. */
async function deadLetterRefused(
  context: PropagationContext,
  message: Message,
  refused: Work['refused'],
  tally: Tally,
): Promise<void> {
  const { rule, root, cause, locations } = message;
  for (const { copy, code, reason } of refused)
    await deadLetter(
      context,
      {
        code,
        reason,
        message: { rule, root, cause, ...(locations && { locations }), copies: [copy], attempts: 0 },
      },
      tally,
    );
}
