import type { Clock } from './clock.ts';
import type { FaultKind } from './fault-kinds.ts';

const throttled = 'writes throttled by a partition';

/** The write capacity of each partition: so many units a second, and never more at once. Applications do not use it up. */
export class PartitionCapacity {
  private readonly unitsPerSecond: number;
  private readonly clock: Clock;
  private readonly faults: Map<FaultKind, number>;
  private readonly partitions = new Map<string, { left: number; at: number }>();

  constructor(unitsPerSecond: number, clock: Clock, faults: Map<FaultKind, number>) {
    this.unitsPerSecond = unitsPerSecond;
    this.clock = clock;
    this.faults = faults;
  }

  take(pk: string): boolean {
    if (this.unitsPerSecond === Number.POSITIVE_INFINITY) return true;
    const { now } = this.clock;
    const { left, at } = this.partitions.get(pk) ?? { left: this.unitsPerSecond, at: now };
    const refilled = Math.min(this.unitsPerSecond, left + ((now - at) / 1000) * this.unitsPerSecond);
    const takes = refilled >= 1;
    if (!takes) this.faults.set(throttled, (this.faults.get(throttled) ?? 0) + 1);
    this.partitions.set(pk, { left: takes ? refilled - 1 : refilled, at: now });
    return takes;
  }
}
