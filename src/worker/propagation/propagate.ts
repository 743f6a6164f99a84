/**
 * A propagation writes the items of one message, page by page, in four steps. They are the copies of a root (copies-of-root.ts), or
 * what follows from the members of a target (computation.ts).
 *
 *   1. Read a page of items.
 *   2. Read what they are computed from: the root, or all members of the target.
 *   3. Compare each item with what it should be, and plan a write for each that differs, or that is missing and the rule creates.
 *   4. Write each item on condition that it is still as read in step 1, or still missing.
 *
 * If a condition fails, steps 2 to 4 run again for that item, after it has been read again. The items are always read first:
 * if the root came first, a slow worker could write an older value of the root over a newer one.
 *
 * A fan-out that writes much keeps to a pace: pace.ts. If it would have to wait past the end of the invocation, or in
 * the stream, the page is requeued, and read anew.
 *
 * Whatever is not written is dead-lettered or requeued: settle.ts. Nothing is dropped.
 */

import { InvalidItemError, TransientError } from '../../model/basics/errors.ts';
import { counted } from '../../model/basics/text.ts';
import { indexNamed, lists } from '../../model/items/copy-location.ts';
import type { ItemKey } from '../../model/items/item.ts';
import type { BoundWriter } from '../../model/rules/bound-rule.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { anew, type Message, untried } from '../../model/work/message.ts';
import type { PropagationReport } from '../../model/work/report.ts';
import type { CopiesRead } from '../../plan/plan-copy.ts';
import { itemsOfTarget } from './computation.ts';
import type { DerivedItems, Propagation, PropagationContext, Tally } from './context.ts';
import { CopiesOfRoot } from './copies-of-root.ts';
import { areLarge } from './item-memory.ts';
import { Pace } from './pace.ts';
import { needsRecheck, settle, type Unfinished, unfinishedBy } from './settle.ts';
import { type Unwritten, writePlans } from './write-plans.ts';

/**
 * The message may come from an older deployment: it is dead-lettered if no rule of its kind has its name, or the table has no index
 * that it names.
 * @param changedAt in epoch milliseconds, for the report
 * @throws TransientError `queue.refused` if the queue refuses what is left: the record must not be acknowledged
 * @throws FatalError if no item could be processed
 */
export async function propagate(
  context: PropagationContext,
  message: Message,
  changedAt?: number,
): Promise<PropagationReport> {
  const { registry, settings, clock, telemetry } = context;
  const tally: Tally = {
    rule: message.rule,
    root: message.root,
    cause: message.cause,
    recheck: message.recheck === true,
    written: 0,
    removed: 0,
    unchanged: 0,
    lost: 0,
    orphans: 0,
    foreign: 0,
    deadLettered: 0,
    requeued: 0,
    narrowed: 0,
    skipped: 0,
    absent: 0,
    pace: undefined,
    changedAt,
  };
  const pace = new Pace(settings.fanOutWriteUnits, clock, message);
  const writer = registry.rule(message.rule) ?? registry.aggregate(message.rule);
  const unfinished =
    writer === undefined
      ? deadLetter(message, 'rule.unknown', `No enabled rule is called ${message.rule}`)
      : (outdated(registry, writer, message) ??
        (await propagatePages(writer, { context, message, pace, tally })));
  await settle(context, unfinished, tally, pace.field());
  tally.pace = pace.report();
  telemetry.propagated(tally);
  return tally;
}

/** What a message asks for that neither the rule nor the table has now. */
function outdated(
  { table }: Registry,
  writer: BoundWriter,
  message: Message,
): readonly Unfinished[] | undefined {
  const { rule: name, root, locations = [] } = message;
  const isElsewhere =
    writer.is === 'aggregate'
      ? locations.length > 0
      : writer.located.in === 'itself' && !locations.every((location) => lists(location, root));
  if (isElsewhere)
    return deadLetter(message, 'rule.unknown', `Rule ${name} is another one now, without such locations`);
  const [index] = locations
    .flatMap((one) => (one.in === 'index' ? [one.index] : []))
    .filter((name) => indexNamed(table, name) === undefined);
  return index === undefined
    ? undefined
    : deadLetter(message, 'index.unknown', `The table has no index called ${index}`);
}

function deadLetter(message: Message, code: string, reason: string): Unfinished[] {
  return [{ is: 'dead-letter', code, reason, message }];
}

async function propagatePages(writer: BoundWriter, propagation: Propagation): Promise<readonly Unfinished[]> {
  const { context, pace, tally } = propagation;
  const derived =
    writer.is === 'aggregate' ? itemsOfTarget(writer, propagation) : new CopiesOfRoot(writer, propagation);
  const unfinished: Unfinished[] = [];
  const done = () => tally.written + tally.removed;
  let rest = propagation.message;
  try {
    rest = await derived.locate(rest);
    let visited = 0;
    // Step 1: a page is read each time the loop asks for one.
    for await (const page of derived.pages(rest)) {
      const current = { ...propagation, message: rest };
      const items = await derived.pending(rest, page);
      const before = done();
      const unwritten = await updateItems(derived, current, items);
      if (unwritten.some(({ is }) => is === 'unsent')) {
        if (done() > before) rest = untried(rest);
        return [...unfinished, { is: 'rest', message: rest, delaySeconds: pace.debtSeconds() }];
      }
      unfinished.push(...unfinishedOf(derived, rest, unwritten, page.copies.length + page.missing.length));
      reportUnavailable(context, rest, unwritten);
      if (items.unread.length > 0)
        unfinished.push({ is: 'rest', message: derived.naming(untried(rest), items.unread) });
      if (page.following === undefined) {
        if (needsRecheck(writer, rest, unfinished)) unfinished.push({ is: 'recheck', message: rest });
        return unfinished;
      }
      rest = { ...(page.isPart ? rest : untried(rest)), ...page.following };
      visited += page.size;
      if (visited >= context.settings.pageLimit || context.outOfTime())
        return [...unfinished, { is: 'rest', message: rest, delaySeconds: pace.debtSeconds() }];
    }
    if (context.outOfTime()) unfinished.push({ is: 'rest', message: rest });
  } catch (error) {
    // Whatever was written of it, the page comes again: `rest` still begins with it.
    unfinished.push(unfinishedBy(error, rest, context));
  }
  return unfinished;
}

/** Single writes that DynamoDB refuses, as those of a hot partition, fail no request: nothing else would say why copies are late. */
function reportUnavailable(
  { telemetry }: PropagationContext,
  { rule }: Message,
  unwritten: readonly Unwritten[],
): void {
  const left = unwritten.filter(({ is }) => is === 'unavailable');
  const [first] = left;
  if (first === undefined) return;
  const words = `DynamoDB did not make ${counted(left.length, 'write')} for now, that of this key among them: throttled, in conflict or out of reach`;
  telemetry.failed(new TransientError('writes.unavailable', words, { rule, key: first.key }));
}

/** If other items of the page are finished, that is progress. */
function unfinishedOf(
  derived: DerivedItems,
  message: Message,
  unwritten: readonly Unwritten[],
  pageSize: number,
): Unfinished[] {
  const again = unwritten.filter(({ is }) => is !== 'refused').length < pageSize ? untried(message) : message;
  const unfinished = (['lost', 'unavailable'] as const).flatMap((is): Unfinished[] => {
    const keys = unwritten.filter((one) => one.is === is).map(({ key }) => key);
    return keys.length === 0 ? [] : [{ is, message: derived.naming(again, keys) }];
  });
  const plain = anew(message);
  // Each item gets its own dead letter, so that one invalid copy does not stop the others.
  for (const one of unwritten)
    if (one.is === 'refused')
      unfinished.push(...deadLetter(derived.naming(plain, [one.key]), one.code, one.reason));
  return unfinished;
}

/** @returns the items that could not be written in a few rounds. If one is `unsent`, the page is read anew */
async function updateItems(
  derived: DerivedItems,
  propagation: Propagation,
  page: CopiesRead,
): Promise<readonly Unwritten[]> {
  const { context, message } = propagation;
  const unwritten: Unwritten[] = [];
  const lose = (keys: readonly ItemKey[]) =>
    unwritten.push(...keys.map((key) => ({ is: 'lost', key }) as const));
  let pending = page;
  for (let round = 1; isPlanned(pending) || (round === 1 && derived.plansEmpty(message)); round += 1) {
    // Steps 2 and 3. If the root is invalid, what else is left of the page is not dead-lettered with it.
    const plans = await unlessInvalidAfter(unwritten, () => derived.plan(message, pending));
    if (plans === undefined) {
      lose(keysOf(pending));
      break;
    }
    // Step 4.
    const ofRound = await writePlans(propagation, plans);
    const lost = ofRound.filter(({ is }) => is === 'lost').map(({ key }) => key);
    // Large items are not read again beside their first reading: there is no memory for that.
    const isLast =
      round === context.settings.rounds ||
      context.outOfTime() ||
      (lost.length > 0 && areLarge(pending.copies));
    if (isLast || lost.length === 0 || ofRound.some(({ is }) => is === 'unsent')) {
      unwritten.push(...ofRound);
      break;
    }
    unwritten.push(...ofRound.filter(({ is }) => is !== 'lost'));
    const again = await derived.readAgain(lost);
    lose(again.unread);
    pending = again;
  }
  return unwritten;
}

/**
 * @returns undefined if what the items are computed from is invalid, and others are left
 * @throws the error, if none are
 */
async function unlessInvalidAfter<Plans>(
  unwritten: readonly Unwritten[],
  plan: () => Promise<Plans>,
): Promise<Plans | undefined> {
  try {
    return await plan();
  } catch (error) {
    if (unwritten.length > 0 && error instanceof InvalidItemError) return undefined;
    throw error;
  }
}

function isPlanned({ copies, missing }: CopiesRead): boolean {
  return copies.length + missing.length > 0;
}

function keysOf({ copies, missing }: CopiesRead): readonly ItemKey[] {
  return [...copies.map(({ key }) => key), ...missing];
}
