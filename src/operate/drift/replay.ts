import type { Registry } from '../../model/rules/registry.ts';
import type { Message } from '../../model/work/message.ts';
import { type Check, matchChanges } from '../../plan/match.ts';
import { groupByItem } from '../../worker/batch/group.ts';
import type { ClockPort } from '../../worker/ports.ts';
import { onceEachTarget } from '../../worker/propagation/deliveries.ts';
import { isCovered } from '../../worker/propagation/propagate-batch.ts';
import { Interrupted } from '../../worker/scan/metered-table.ts';
import { type History, type HistoryRead, readHistory } from '../archive/audit/read-history.ts';
import type { LeftAlone, Propagations, PropagationsOutcome } from './repair.ts';

export interface Replay {
  readonly history: History;
  /** The rules and aggregates that are run again. */
  readonly registry: Registry;
  readonly propagations: Propagations;
  readonly clock: ClockPort;
  /** Only changes from then on, in epoch milliseconds. */
  readonly since: number;
  readonly pauseMs: number;
  readonly stop: () => boolean;
  readonly onPage: (records: number) => void;
  /** Called after each page, also with the writes of one that was stopped on its way. */
  readonly onOutcome: (outcome: Omit<PropagationsOutcome, 'leftAlone'>) => void;
  /** Called once for an item, however many of its changes the stream has. */
  readonly onLeftAlone: (one: LeftAlone) => void;
}

export interface Replayed extends HistoryRead {
  /** Changes that were made since then. */
  changes: number;
  /** Those of them that some rule or aggregate is concerned with. */
  matched: number;
}

/**
 * Runs again what the table's stream still holds: every propagation and check that a change asks for, from the table as it is now.
 * Repeating it, or the worker beside it, is harmless.
 * @throws as {@link readHistory} does, and the error that stopped a propagation
 */
export async function replay(given: Replay): Promise<Replayed> {
  const left = new Set<string>();
  const onLeftAlone = (one: LeftAlone) => {
    const text = JSON.stringify(one);
    if (!left.has(text)) given.onLeftAlone(one);
    left.add(text);
  };
  const work = { ...given, onLeftAlone };
  const counts = { changes: 0, matched: 0 };
  const read = await readHistory({
    ...work,
    visit: async (all) => {
      // The stream's times are whole seconds. A change without one may be as young.
      const changes = all.filter(({ at = work.since }) => at + 1000 > work.since);
      counts.changes += changes.length;
      const { registry } = work;
      const { groups } = groupByItem(
        registry.table,
        changes.map((parsed, index) => ({ id: String(index), parsed })),
      );
      const matches = groups.map((group) => ({ ...group, ...matchChanges(registry, group.changes) }));
      for (const { key, faults } of matches)
        for (const { code, message: reason, rule = '' } of faults)
          work.onLeftAlone({ rule, copy: key, root: undefined, code, reason });
      for (const one of matches)
        if (one.propagations.length + one.checks.length > 0) counts.matched += one.changes.length;
      const propagations = matches.flatMap((one) => one.propagations);
      const checks = matches.flatMap((one) => one.checks).filter((one) => !isCovered(one, propagations));
      await run(work, [...propagations, ...checks.map(messageOf)]);
    },
  });
  return { ...read, ...counts };
}

async function run(
  { registry, propagations, onOutcome, onLeftAlone }: Replay,
  messages: readonly Message[],
): Promise<void> {
  const distinct = new Map(messages.map((message) => [JSON.stringify(message), { ids: [], message }]));
  const once = onceEachTarget(registry, [...distinct.values()]).map(({ message }) => message);
  const outcome = await propagations.take(once);
  onOutcome(outcome);
  outcome.leftAlone.forEach(onLeftAlone);
  if (outcome.unfinished.length > 0) throw outcome.failure ?? new Interrupted();
}

/** A check reads copy and root, as it would from a record. */
function messageOf({ rule, root, copy }: Check): Message {
  return { rule: rule.name, root, cause: 'check', copies: [copy], attempts: 0 };
}
