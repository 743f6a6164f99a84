import type {
  DeadLettersView,
  DeadLetterView,
  DriftView,
  RedriveOutcomeView,
  VerifyView,
} from '../../develop/page/protocol/trouble.ts';
import type { Registry } from '../../model/registry.ts';
import {
  type DeadLetterReader,
  type FoundDeadLetter,
  messageIn,
} from '../../operate/dead-letters/dead-letter.ts';
import { groupDeadLetters } from '../../operate/dead-letters/dead-letter-groups.ts';
import {
  isRunnable,
  planRedrive,
  redriveDeadLetters,
} from '../../operate/dead-letters/redrive-dead-letters.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { QueuePort, ScanPort, TablePort } from '../../worker/ports.ts';
import { Budget } from '../../worker/scan/budget.ts';
import { wholeTable } from '../../worker/scan/scan-table.ts';
import type { Drift } from '../../worker/verify/drift.ts';
import { countIn, driftIn, verifyFrom } from '../../worker/verify/verify-state.ts';
import { verifyTable } from '../../worker/verify/verify-table.ts';

/** Drift that is listed: the rest is counted. */
const maxListed = 1_000;

/** The dead letters, newest first: at most about `most` of them. */
export async function deadLettersView(
  reader: DeadLetterReader,
  registry: Registry,
  most = Number.POSITIVE_INFINITY,
): Promise<DeadLettersView> {
  let found = 0;
  const look = await reader.look({
    stop: () => found >= most,
    onFound: (count) => {
      found = count;
    },
  });
  const newestFirst = look.deadLetters.toSorted((a, b) => b.at - a.at);
  return { deadLetters: newestFirst.map((one) => deadLetterView(one, registry)), unseen: look.unseen };
}

function deadLetterView({ id, at, content }: FoundDeadLetter, registry: Registry): DeadLetterView {
  const message = messageIn(content);
  const told = content.is === 'dead-lettered' ? content.deadLettered : undefined;
  return {
    ...{ id, at, rule: message?.rule, root: message?.root },
    code: told?.code ?? (content.is === 'message' ? 'delivery.failed' : 'dead-letter.unreadable'),
    reason:
      told?.reason ?? (content.is === 'message' ? 'it failed on every delivery' : 'it is no dead letter'),
    redrivable: message !== undefined && isRunnable(message, registry),
  };
}

/** Sends the messages of these dead letters again, those about removed roots included, and deletes the dead letters. */
export async function redrive(
  reader: DeadLetterReader,
  registry: Registry,
  queue: QueuePort,
  ids: readonly string[],
): Promise<RedriveOutcomeView> {
  const { deadLetters } = await reader.look();
  const chosen = deadLetters.filter(({ id }) => ids.includes(id));
  const { send } = planRedrive(groupDeadLetters(chosen), { registry, removals: true });
  const outcome = await redriveDeadLetters({
    ...{ send, reader, stop: () => false },
    deliver: (messages) => queue.send(messages),
    budget: new Budget(Number.POSITIVE_INFINITY, systemClock),
  });
  if (outcome.error !== undefined) throw outcome.error;
  return { redriven: outcome.deadLetters, left: chosen.length - outcome.deadLetters };
}

/** Compares all copies of a local table with their roots, and all totals with their members. Writes nothing. */
export async function verify(registry: Registry, table: TablePort, scan: ScanPort): Promise<VerifyView> {
  const drift: DriftView[] = [];
  const state = await verifyTable(
    {
      ...{ registry, passes: [registry], table, scan, orphans: 'unexplained', clock: systemClock },
      // A change on this machine reaches its copies well within this time, in milliseconds.
      grace: 1_500,
      stop: () => false,
      onDrift: async (found) => {
        for (const one of found) if (drift.length < maxListed) drift.push(driftView(one.drift));
      },
      budget: new Budget(Number.POSITIVE_INFINITY, systemClock),
      concurrency: 4,
    },
    verifyFrom(wholeTable(8), registry),
  );
  return { items: state.items, copies: countIn(state, ['copies']), drift, found: driftIn(state) };
}

function driftView({ kind, rule, copy, root, attributes, reason }: Drift): DriftView {
  const says: Readonly<Record<Drift['kind'], string>> = {
    differs: `${attributes.join(', ')}: not what its root says`,
    derived: `${attributes.join(', ')}: not what the rule derives`,
    missing: 'missing, although its root places it at this key',
    excluded: 'its root is not one that the rule copies',
    unlisted: 'its root does not list its key',
    orphan: 'its root does not exist',
    foreign: 'its root places its copies elsewhere',
    invalid: reason ?? 'it cannot be projected',
  };
  return { kind, rule, copy, root, says: says[kind] };
}
