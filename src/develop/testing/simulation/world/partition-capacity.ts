import type { Findings } from '../oracle/findings.ts';
import type { Clock } from './clock.ts';

/**
 * The write capacity of each partition: so many units a second, and never more at once. Applications do not use it up.
 * @returns whether a partition takes one more unit, which is used up then
 */
export function partitionCapacity(unitsPerSecond: number, clock: Clock, findings: Findings) {
  const partitions = new Map<string, { readonly left: number; readonly at: number }>();
  return (pk: string): boolean => {
    if (unitsPerSecond === Number.POSITIVE_INFINITY) return true;
    const { now } = clock;
    const { left, at } = partitions.get(pk) ?? { left: unitsPerSecond, at: now };
    const refilled = Math.min(unitsPerSecond, left + ((now - at) / 1000) * unitsPerSecond);
    const takes = refilled >= 1;
    if (!takes) findings.fault('writes throttled by a partition');
    partitions.set(pk, { left: takes ? refilled - 1 : refilled, at: now });
    return takes;
  };
}
