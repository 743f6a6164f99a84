/**
 * A turn brings the copies of one root up to date. Its states, for each page of copies:
 *
 *   located ──page read──> pending ──root read──> decided ──> done: unchanged, orphan, foreign, written
 *                             ^                     │ ├─────> parked: a copy that cannot be brought up to date
 *                             │                     │ └─────> the queue: throttled, or a few rounds were not enough
 *                             └── copy read again ──┘ condition lost
 *
 * The page is read first and the root after it, never before: so a copy never goes back to an older value of its root.
 */
import { DenormError, Unavailable, Unprojectable } from '../model/errors.ts';
import { type Message, untried } from '../model/message.ts';
import type { Place } from '../model/copy-location.ts';
import type { TurnReport } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { placeOf } from './plan/rule-functions.ts';
import type { Engine } from './context.ts';
import { defer, park, retry, retryWhenAvailable } from './requeue.ts';
import { pagesOf } from './copy-pages.ts';
import { Tally } from './tally.ts';
import { bringUpToDate, type LeftOver } from './update-copies.ts';

/**
 * Takes one turn. What cannot be done now is handed to the queue, what cannot be done at all is parked; the report says
 * how much of which.
 * @param changedAt when the change was made, in epoch milliseconds, for the report
 * @throws Unavailable `queue.refused` where the queue refuses as well: nothing may be acknowledged
 * @throws Unworkable where no item could be worked on
 */
export async function turn(engine: Engine, message: Message, changedAt?: number): Promise<TurnReport> {
  const tally = new Tally(message, changedAt);
  const rule = engine.registry.rule(message.rule);
  if (rule === undefined)
    await park(
      engine,
      { code: 'rule.unknown', reason: `No enabled rule is called ${message.rule}`, message },
      tally,
    );
  else await takeTurn(engine, rule, message, tally);
  const report = tally.report();
  engine.telemetry.turned(report);
  return report;
}

async function takeTurn(engine: Engine, rule: Rule, message: Message, tally: Tally): Promise<void> {
  let rest = message;
  try {
    const places = message.places ?? (await locate(engine, rule, message));
    rest = { ...message, places };
    let visited = 0;
    for await (const page of pagesOf(engine, rule, rest)) {
      const left = await bringUpToDate(engine, rule, { ...message, places }, page.copies, tally);
      await retryCopies(engine, { ...rest, places }, left, page.copies.length, tally);
      if (page.following === undefined) break;
      rest = { ...untried(rest), ...page.following };
      visited += page.size;
      if (visited < engine.settings.pageLimit && !engine.outOfTime()) continue;
      await defer(engine, rest, tally);
      break;
    }
    await settleLater(engine, rule, message);
  } catch (error) {
    await handOnRest(engine, rule, message, rest, error, tally);
  }
}

/** A turn without places asks the root itself where its copies stand. A root that is gone places none. */
async function locate(engine: Engine, rule: Rule, message: Message): Promise<Place[]> {
  if (message.copies !== undefined) return [];
  const root = await engine.table.get(message.root);
  if (root !== undefined) return [placeOf(engine.registry.table, rule, root)];
  if (message.cause !== 'deleted' && message.cause !== 'expired') return [];
  const why = `Rule ${rule.name} cannot locate the copies of this removed root: its last image lacks what located.at reads`;
  throw new Unprojectable('root', 'root.unplaceable', why, { rule: rule.name, key: message.root });
}

/** Requeues the copies of a page that were left over, by why they were. Where others of their page were not, that is an advance. */
async function retryCopies(
  engine: Engine,
  message: Message,
  { lost, unavailable }: LeftOver,
  pageSize: number,
  tally: Tally,
): Promise<void> {
  const { cursor: _, ...named } = message;
  const again = lost.length + unavailable.length < pageSize ? untried(named) : named;
  if (lost.length > 0) await retry(engine, { ...again, copies: [...lost] }, tally);
  if (unavailable.length > 0) await retryWhenAvailable(engine, { ...again, copies: [...unavailable] }, tally);
}

/** Asks for a second look at an index, once in a fan-out: copies written just before the first may not have been on it. */
async function settleLater(engine: Engine, rule: Rule, message: Message): Promise<void> {
  const { rule: name, root, cause, places } = message;
  const first = message.copies === undefined && message.cursor === undefined && message.settle !== true;
  if (rule.located.in !== 'index' || !first || cause === 'repair') return;
  await engine.queue.send(
    [{ rule: name, root, cause, ...(places && { places }), settle: true, hops: 0 }],
    engine.settings.settleDelaySeconds,
  );
}

/** Hands on what an error left undone: what can be retried to the queue, what only a person can mend to the dead letters. */
async function handOnRest(
  engine: Engine,
  rule: Rule,
  message: Message,
  rest: Message,
  error: unknown,
  tally: Tally,
): Promise<void> {
  if (error instanceof Unprojectable) {
    await park(engine, { code: error.code, reason: error.message, message: rest }, tally);
    return;
  }
  if (!(error instanceof Unavailable) || isQueueRefusal(error)) throw error;
  engine.telemetry.failed(error);
  if (rest.cursor !== message.cursor) await settleLater(engine, rule, message);
  await retryWhenAvailable(engine, rest, tally);
}

function isQueueRefusal(error: unknown): boolean {
  return error instanceof DenormError && error.code === 'queue.refused';
}
