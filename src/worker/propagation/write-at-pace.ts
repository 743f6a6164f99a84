/**
 * A throttled write is sent again in one of three places, and never dropped:
 *
 *   - if the pace governs the page, here: at the end of the line, at half the pace, until slowing down no longer helps;
 *   - if it does not, by the table's adapter, which repeats what is throttled with back-off;
 *   - what either gives up is `unavailable`, and what had no time is `unsent`: both are requeued, as settle.ts says.
 */

import type { WriteOutcome } from '../../model/guarded-write.ts';
import type { OnSpent } from '../ports.ts';
import type { Propagation, PropagationContext } from './context.ts';
import type { Pace } from './pace.ts';

/** `unsent`: the time was up before its turn. */
export type PacedOutcome = Exclude<WriteOutcome, 'throttled'> | 'unsent';

interface Priced {
  /** At most, in write units of the table. */
  readonly units: number;
}

export interface PricedWrite<Write> extends Priced {
  readonly write: Write;
}

export interface Requests<Write> {
  /** If their units are saved. */
  readonly maxSize: number;
  readonly send: (writes: readonly Write[], onSpent?: OnSpent) => Promise<readonly WriteOutcome[]>;
}

/** Others than those that the pace governs go to the table at once. @returns one outcome for each, in their order */
export async function writeAll<Write>(
  { context, pace }: Propagation,
  writes: readonly PricedWrite<Write>[],
  requests: Requests<Write>,
): Promise<readonly PacedOutcome[]> {
  if (writes.length === 0) return [];
  if (pace.governs(writes.length, unitsIn(writes), context.settings.pacedWrites))
    return writeAtPace(context, pace, writes, requests);
  const outcomes = await requests.send(writes.map(({ write }) => write));
  return outcomes.map((outcome) => (outcome === 'throttled' ? 'unavailable' : outcome));
}

/** Never waits past the end of the invocation. @returns one outcome for each write, in their order */
async function writeAtPace<Write>(
  { clock, outOfTime, settings }: Pick<PropagationContext, 'clock' | 'outOfTime' | 'settings'>,
  pace: Pace,
  writes: readonly PricedWrite<Write>[],
  { maxSize, send }: Requests<Write>,
): Promise<readonly PacedOutcome[]> {
  const outcomes = writes.map((): PacedOutcome => 'unsent');
  let waiting = writes.map((priced, index) => ({ ...priced, index }));
  while (waiting.length > 0) {
    const atOnce = affordable(waiting, pace.saved(), maxSize);
    const next = waiting.slice(
      0,
      Math.max(1, atOnce, affordable(waiting, pace.burst(), settings.pacedWrites)),
    );
    const wait = pace.waitFor(unitsIn(next));
    if (outOfTime(wait)) break;
    pace.take(unitsIn(next));
    if (wait > 0) await clock.sleep(wait);
    let units: number | undefined;
    const answers = await send(
      next.map(({ write }) => write),
      (some) => {
        units = (units ?? 0) + some;
      },
    );
    const [made, throttled]: [typeof next, typeof next] = [[], []];
    for (const [position, one] of next.entries()) {
      const outcome = answers[position] ?? 'unavailable';
      if (outcome !== 'throttled') outcomes[one.index] = outcome;
      (outcome === 'throttled' ? throttled : made).push(one);
    }
    pace.note(units ?? unitsIn(made), made.length, throttled.length);
    waiting = [...waiting.slice(next.length), ...throttled];
    // The condition on the root fails for the others as well.
    const ended = answers.includes('root') ? 'root' : pace.isHopeless() ? 'unavailable' : undefined;
    if (ended !== undefined) for (const { index } of waiting.splice(0)) outcomes[index] = ended;
  }
  return outcomes;
}

/** How many of the first writes so many units pay for. */
function affordable(writes: readonly Priced[], units: number, most: number): number {
  let left = units;
  const first = writes.slice(0, most).findIndex((write) => {
    left -= write.units;
    return left < 0;
  });
  return first < 0 ? Math.min(most, writes.length) : first;
}

function unitsIn(writes: readonly Priced[]): number {
  return writes.reduce((sum, { units }) => sum + units, 0);
}
