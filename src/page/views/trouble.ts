import { setTimeout } from 'node:timers/promises';
import type { PlannerOptions } from '../../explain/dry-run/planner.ts';
import { explainItem } from '../../explain/explain.ts';
import { counted } from '../../model/basics/text.ts';
import { distinctKeys } from '../../model/items/copy-location.ts';
import { keyText } from '../../model/items/item.ts';
import { isInForce, type Registry } from '../../model/rules/registry.ts';
import type { PropagationReport } from '../../model/work/report.ts';
import {
  type DeadLetterReader,
  type FoundDeadLetter,
  groupDeadLetters,
  type HeldGroup,
} from '../../operate/dead-letters/dead-letters.ts';
import { planRedrive, redriveDeadLetters } from '../../operate/dead-letters/redrive-dead-letters.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { unlimited } from '../../worker/budget.ts';
import { readPauses } from '../../worker/pauses.ts';
import type { QueuePort, ScanPort, TablePort } from '../../worker/ports.ts';
import { verifyShare } from '../../worker/verify/verify-sample.ts';
import type { ActionOutcome, DriftView, FailuresView, FailureView, VerifyView } from '../protocol/views.ts';

/** Rows of which the page says what would happen now: the others are looked at one by one. */
const maxExplained = 20;

/** Copies of a row that are named. */
const maxCopies = 10;

/** How long a redrive waits for the end of what it sent. A long fan-out takes more. */
const waitsForEndMs = 5_000;

/**
 * What failed, the newest first: at most about `most` dead letters and batches.
 * @param source asked what would happen now
 */
export async function failuresView(
  reader: DeadLetterReader,
  registry: Registry,
  {
    most = Number.POSITIVE_INFINITY,
    source,
  }: { readonly most?: number; readonly source?: PlannerOptions } = {},
): Promise<FailuresView> {
  const deadLetters: FoundDeadLetter[] = [];
  let isStopped = false;
  // Asked between requests to the queue, and for each batch.
  const stop = () => {
    isStopped = deadLetters.length >= most;
    return isStopped;
  };
  const unseen = await reader.look((one) => void deadLetters.push(one), { stop });
  const groups = groupDeadLetters(deadLetters).toSorted((a, b) => b.newest - a.newest);
  const failures: FailureView[] = [];
  for (const [at, group] of groups.entries()) {
    const row = rowOf(group, registry);
    const now = source !== undefined && at < maxExplained ? await outcomeNow(source, row) : undefined;
    failures.push({ ...row.failure, now });
  }
  return { failures, more: unseen > 0 || isStopped };
}

interface Row {
  readonly failure: FailureView;
  /** Whether it shows every copy that failed. */
  readonly areNamed: boolean;
}

function rowOf(group: HeldGroup, registry: Registry): Row {
  const { id, rule, key: root, record, code, reason, newest, count, deadLetters } = group;
  const messages = deadLetters.flatMap(({ message }) => message ?? []);
  const all = distinctKeys(messages.flatMap(({ copies = [] }) => copies));
  const copies = all.slice(0, maxCopies);
  const redrivable = messages.some((message) => isInForce(registry, message.rule));
  const told = { id, rule, root, record, code, reason, newest, count };
  const areNamed = copies.length === all.length && messages.every((one) => one.copies !== undefined);
  return { failure: { ...told, copies, redrivable, now: undefined }, areNamed };
}

/** A copy that is right needs no redrive, and leaves no doubt. Where other copies may have failed too, only a redrive finds them. */
async function outcomeNow(source: PlannerOptions, { failure, areNamed }: Row): Promise<string | undefined> {
  const { redrivable, rule, root, copies } = failure;
  if (rule === undefined || root === undefined) return undefined;
  // A root may have a key that no request can hold.
  const explained = await explainItem(source, root).catch(() => undefined);
  if (explained === undefined) return 'cannot be told';
  const [subject] = explained.subjects;
  const isGone = subject?.is === 'missing item';
  const [role] = subject?.rules.filter((one) => one.rule === rule) ?? [];
  if (!redrivable) {
    if (role?.fault !== undefined) return 'is still invalid: correct the item';
    if (isGone) return 'is gone: drop it';
    return role?.because === 'right' ? 'is right: drop it' : 'is valid';
  }
  const work = explained.rounds[0]?.work.filter((one) => one.rule === rule) ?? [];
  if (work.some(({ deadLettered }) => deadLettered.length > 0)) return 'would fail again';
  if (isGone) return 'item is gone';
  const named = areNamed ? await Promise.all(copies.map((key) => explainItem(source, key))) : [];
  const areRight = named.map(({ subjects: [copy] }) =>
    copy?.rules.some((one) => one.rule === rule && one.because === 'right'),
  );
  return areNamed && !areRight.includes(false) ? 'is right: drop it' : 'would succeed';
}

export interface RedriveOptions {
  readonly reader: DeadLetterReader;
  readonly registry: Registry;
  readonly queue: QueuePort;
  /** Hears each report from now on, until what it returns is called. Without it, nothing is waited for. */
  readonly hear?: (hears: (report: PropagationReport) => void) => () => void;
}

/**
 * Sends the messages of these groups again, those about removed roots included, deletes their dead letters, and waits a while
 * for what becomes of them.
 */
export async function redriveFailures(
  { reader, registry, queue, hear }: RedriveOptions,
  ids: readonly string[],
): Promise<ActionOutcome> {
  const { send } = planRedrive(await groupsOf(reader, ids), { registry, allowRemove: true });
  const letters = send.flatMap(({ deadLetters }) => deadLetters).length;
  const waiting = new Set(send.map(({ message }) => subjectOf(message)));
  let failed = 0;
  const ended = Promise.withResolvers<void>();
  const silence = hear?.(({ rule, root, deadLettered, requeued }) => {
    if ((requeued > 0 && deadLettered === 0) || !waiting.delete(subjectOf({ rule, root }))) return;
    if (deadLettered > 0) failed += 1;
    if (waiting.size === 0) ended.resolve();
  });
  try {
    const sent = waiting.size;
    if (sent === 0) return { text: 'Nothing redriven: it is gone already.', isGood: false };
    const outcome = await redriveDeadLetters({
      send,
      reader,
      stop: () => false,
      budget: unlimited(systemClock),
      deliver: (messages) => queue.send(messages),
    });
    if (outcome.error !== undefined) throw outcome.error;
    if (hear !== undefined && sent > 0)
      await Promise.race([ended.promise, setTimeout(waitsForEndMs, undefined, { ref: false })]);
    const ends = [
      [sent - waiting.size - failed, 'succeeded'],
      [failed, 'failed again, with a new dead letter'],
      [waiting.size, 'not ended yet'],
    ] as const;
    const parts = ends.filter(([count]) => count > 0).map(([count, end]) => `${count} ${end}`);
    const of = `${counted(letters, 'dead letter')} of ${counted(sent, 'item')}`;
    return { text: `${of} redriven: ${parts.join(', ')}.`, isGood: failed === 0 };
  } finally {
    silence?.();
  }
}

/** @param shown the newest dead letter of the row: those that came after it stay, because nobody has seen them */
export async function dropFailures(
  reader: DeadLetterReader,
  { ids, newest: shown }: { readonly ids: readonly string[]; readonly newest: number },
): Promise<ActionOutcome> {
  const found = (await groupsOf(reader, ids)).flatMap(({ deadLetters }) => deadLetters);
  const dropped = found.filter(({ at }) => at <= shown);
  await reader.remove(dropped);
  return { text: `${counted(dropped.length, 'dead letter')} dropped.`, isGood: true };
}

async function groupsOf(reader: DeadLetterReader, ids: readonly string[]): Promise<HeldGroup[]> {
  const deadLetters: FoundDeadLetter[] = [];
  await reader.look((one) => void deadLetters.push(one));
  return groupDeadLetters(deadLetters).filter(({ id }) => ids.includes(id));
}

function subjectOf({ rule, root }: Pick<PropagationReport, 'rule' | 'root'>): string {
  return JSON.stringify([rule, keyText(root)]);
}

export async function verify(registry: Registry, table: TablePort, scan: ScanPort): Promise<VerifyView> {
  const drift: DriftView[] = [];
  const report = await verifyShare({
    registry,
    table,
    scan,
    paused: await readPauses(table, registry.table),
    clock: systemClock,
    budget: unlimited(systemClock),
    share: 1,
    random: Math.random,
    stop: () => false,
    // A change on this machine reaches its copies well within this time, in milliseconds.
    graceMs: 1_500,
    telemetry: {
      drifted: ({ kind, rule, copy, root, attributes, reason }) => {
        drift.push({ kind, rule, copy, root, what: reason ?? attributes.join(', ') });
      },
      verified() {},
    },
  });
  return {
    items: report.items,
    copies: report.copies,
    unmatched: report.unmatched,
    drift,
    found: report.drift,
  };
}
