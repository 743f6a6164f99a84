import type { Registry } from '../../../../model/registry.ts';
import { defaultSettings } from '../../../../worker/ports.ts';
import { Random } from '../random.ts';
import type { Climate } from '../world/climate.ts';
import { faults } from '../world/invocation.ts';
import { pacedClimate } from '../world/paced-climate.ts';

/** The climate of a seed, for the rules of a project. Each kind of fault is off in half of the seeds. */
export function projectClimate(seed: number, { archives, aggregates }: Registry): Climate {
  const random = new Random(seed ^ 0x5eed);
  const rate = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  const [throttled = 0, timedOut = 0, partial = 0, denied = 0] = faults.map(() => rate(0.15));
  const { partitionUnits, hurry, ...paced } = pacedClimate(seed);
  return {
    settings: {
      ...defaultSettings,
      ...paced,
      pageLimit: random.int(1, 4),
      rounds: random.int(1, 4),
      maxAttempts: random.pick([2, 4, 12]),
      concurrency: random.pick([1, 2, 16]),
    },
    shards: random.int(1, 4),
    faults: { throttled, 'timed-out': timedOut, partial, denied: denied / 10 },
    cut: rate(0.05),
    again: rate(0.3),
    lag: random.pick([0, 0, 1000, 20_000, 55_000]),
    lateness: random.pick([0, 0, 5000, 400_000]),
    skew: random.pick([0, 0, 3_600_000]),
    crowd: random.int(1, 5),
    bustle: 0.5 + random.next() * 3,
    archiving: archives.length > 0 ? random.pick([0.1, 0.2, 0.5]) : 0,
    meddling: rate(3),
    lulls: aggregates.length > 0 ? 0.15 : 0,
    stalling: aggregates.length > 0 ? 0.3 : 0,
    staleness: rate(0.6),
    sweeping: 0,
    hurry: hurry ?? rate(0.3),
    longBatches: false,
    longValues: false,
    garbling: 0,
    outage: 0,
    partitionUnits,
  };
}
