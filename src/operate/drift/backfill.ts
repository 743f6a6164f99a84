import { RecentSet } from '../../model/basics/recent-set.ts';
import { type KeyedItem, keyText } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { BoundAggregate, BoundWriter } from '../../model/rules/bound-rule.ts';
import { KindCounter } from '../../model/rules/kind-counts.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { Message } from '../../model/work/message.ts';
import { isMadeAt } from '../../plan/plan-target.ts';
import { onceEachTarget } from '../../worker/propagation/deliveries.ts';
import { retryingOutages } from '../../worker/retry.ts';
import { Interrupted, unlessInterrupted } from '../../worker/scan/metered-table.ts';
import { scanTable } from '../../worker/scan/scan-table.ts';
import { countedIn, headedBy } from '../../worker/verify/candidates.ts';
import type { VerifyState } from '../../worker/verify/verify-state.ts';
import type { TableSearch } from '../../worker/verify/verify-table.ts';
import { nothing, type Propagations, type PropagationsOutcome } from './repair.ts';

export interface Backfill
  extends Pick<TableSearch, 'scan' | 'budget' | 'clock' | 'concurrency' | 'stop' | 'onState'> {
  readonly registry: Registry;
  readonly writer: BoundWriter;
  readonly propagations: Propagations;
  /** Called after each page, also with the writes of one that was stopped on its way and will be read again. */
  readonly onOutcome: (outcome: PropagationsOutcome) => void;
}

/**
 * Propagates every root of a rule, or every item that is its own copy, or computes every target of an aggregate: for items
 * that are older than the rule. It reads strongly consistent and writes only differences. Roots that are created during
 * the scan are propagated by the worker.
 * @returns the progress; complete if the scan is finished
 * @throws TransientError, FatalError as ports do; the last state given to `onState` is valid
 */
export async function backfill(work: Backfill, from: VerifyState): Promise<VerifyState> {
  let state = from;
  const kinds = new KindCounter(work.registry, from.kinds);
  const retry = retryingOutages(work.clock, { stop: work.stop });
  const made = new RecentSet(maxMade);
  await scanTable({
    scan: { scan: (...args) => retry(() => work.scan.scan(...args)) },
    budget: work.budget,
    concurrency: work.concurrency,
    point: from.point,
    stop: work.stop,
    async visit(items) {
      const messages = items
        .flatMap((item) => backfillMessages(work.writer, item))
        .filter(
          ({ copies, root }) => copies !== undefined || !isMade(work.writer) || made.add(keyText(root)),
        );
      const outcome = await work.propagations.take(oncePerTarget(work.writer, messages));
      if (outcome.unfinished.length > 0) {
        const { written, removed, lost } = outcome;
        work.onOutcome({ ...nothing, written, removed, lost });
        throw outcome.failure ?? new Interrupted();
      }
      work.onOutcome(outcome);
      return () => {
        kinds.add(items);
        state = { ...state, items: state.items + items.length, kinds: kinds.counts() };
      };
    },
    onPage: async ({ point }) => {
      state = { ...state, point };
      await work.onState?.(state);
    },
  }).catch(unlessInterrupted);
  return state;
}

/** Targets that were computed last, and are not once more for each of their members. */
const maxMade = 10_000;

function isMade(writer: BoundWriter): boolean {
  return writer.is === 'aggregate' && writer.creates;
}

/** Members of one target are posted together: one by one, a hundred thousand would wait for one head. */
function oncePerTarget(writer: BoundWriter, messages: readonly Message[]): readonly Message[] {
  const aggregate = () => (writer.is === 'aggregate' ? writer : undefined);
  const deliveries = messages.map((message) => ({ ids: [], message }));
  return onceEachTarget({ aggregate }, deliveries).map(({ message }) => message);
}

/** The propagation of an item, or the computation of a target; none if the item is neither root nor target of the rule. */
function backfillMessages(writer: BoundWriter, one: KeyedItem): Message[] {
  const { key, item } = one;
  const posts = writer.is === 'aggregate' ? [...postsOf(writer, one), ...targetsOf(writer, one)] : [];
  if (!isOfKind(writer.is === 'aggregate' ? writer.on : writer.root, item)) return posts;
  const propagation = { rule: writer.name, root: key, cause: 'repair', attempts: 0 } as const;
  // Names the item as the copy, so that it is read once.
  const isItself = writer.is === 'rule' && writer.located.in === 'itself';
  return [...posts, isItself ? { ...propagation, copies: [key] } : propagation];
}

/** The computations of targets that the aggregate makes: those that a member names, or in a ledger a head. */
function targetsOf(aggregate: BoundAggregate, item: KeyedItem): Message[] {
  if (!aggregate.creates) return [];
  const named = aggregate.ledger === undefined ? countedIn(aggregate, item) : headedBy(aggregate, item);
  return named.flatMap((one): Message[] => {
    if (one.is === 'entry' || !isMadeAt(aggregate, one.target)) return [];
    return [{ rule: aggregate.name, root: one.target, cause: 'repair', attempts: 0 }];
  });
}

/** With a ledger, members are posted, and those of entries once more: they may be gone. */
function postsOf(aggregate: BoundAggregate, item: KeyedItem): Message[] {
  if (aggregate.ledger === undefined) return [];
  const entries = countedIn(aggregate, item).filter(({ is }) => is === 'entry');
  return entries.map(({ target, member }) => ({
    rule: aggregate.name,
    root: target,
    cause: 'changed',
    copies: [member],
    attempts: 0,
  }));
}
