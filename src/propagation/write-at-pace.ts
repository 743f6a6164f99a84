import type { WriteOutcome } from '../model/guarded-write.ts';
import type { OnSpent } from '../ports.ts';
import type { PropagationContext } from './context.ts';
import type { Pace } from './pace.ts';

/** `unsent`: the time was up before its turn. */
export type PacedOutcome = Exclude<WriteOutcome, 'throttled'> | 'unsent';

/** How many times `pacedWrites` go together before DynamoDB has said what a write costs. */
const unpriced = 8;

export interface Requests<Write> {
  /** How many writes go together, if their units are saved. */
  readonly maxSize: number;
  readonly send: (writes: readonly Write[], onSpent?: OnSpent) => Promise<readonly WriteOutcome[]>;
}

/**
 * Sends writes, one request after another, as fast as the pace allows. Throttled writes go to the end of the line and are sent
 * again at a slower pace. Waits with the context's clock, but never past the end of the invocation.
 * @returns one outcome for each write, in their order
 */
export async function writeAtPace<Write>(
  { clock, outOfTime, settings }: Pick<PropagationContext, 'clock' | 'outOfTime' | 'settings'>,
  pace: Pace,
  writes: readonly Write[],
  { maxSize, send }: Requests<Write>,
): Promise<readonly PacedOutcome[]> {
  const size = settings.pacedWrites;
  const outcomes = writes.map((): PacedOutcome => 'unsent');
  let waiting = [...writes.entries()];
  while (waiting.length > 0) {
    const most = pace.isPriced() ? maxSize : Math.min(maxSize, size * unpriced);
    const next = waiting.slice(0, Math.max(size, Math.min(most, pace.affordable())));
    const wait = pace.waitFor(next.length);
    if (outOfTime(wait)) break;
    pace.take(next.length);
    if (wait > 0) await clock.sleep(wait);
    let units: number | undefined;
    const answers = await send(
      next.map(([, write]) => write),
      (some) => {
        units = (units ?? 0) + some;
      },
    );
    const throttled = next.filter((_, position) => answers[position] === 'throttled');
    next.forEach(([index], position) => {
      const outcome = answers[position] ?? 'unavailable';
      if (outcome !== 'throttled') outcomes[index] = outcome;
    });
    pace.note(next.length, units, throttled.length);
    waiting = [...waiting.slice(next.length), ...throttled];
    // The condition on the root fails for the others as well.
    const ended = answers.includes('root') ? 'root' : pace.isHopeless() ? 'unavailable' : undefined;
    if (ended !== undefined) for (const [index] of waiting.splice(0)) outcomes[index] = ended;
  }
  return outcomes;
}
