import type { Registry } from '../../../../model/registry.ts';
import { defaultSettings, type Settings } from '../../../../worker/ports.ts';
import { Random } from '../random.ts';
import type { FaultProfile } from '../world/fault-profile.ts';
import { faults } from '../world/invocation.ts';

/** The faults of a seed. Each kind of fault is off in half of the seeds. */
export function faultProfileOf(seed: number, { archives, aggregates }: Registry): FaultProfile {
  const random = new Random(seed ^ 0x5eed);
  const rate = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  const [throttled = 0, timedOut = 0, partial = 0, denied = 0] = faults.map(() => rate(0.15));
  const outage = random.chance(0.15) ? random.int(3, 12) * 3_600_000 : 0;
  // Giving up is met only if unavailability may last no longer than a few faults.
  const maxUnavailableSeconds =
    outage === 0 && random.chance(0.1) ? 30 : defaultSettings.maxUnavailableSeconds;
  // Totals are observed at rest alone, so they need pauses.
  const pauses = random.chance(0.3) || aggregates.length > 0;
  const { partitionUnits, shortTime = rate(0.3), ...pace } = paceOf(random);
  return {
    settings: {
      ...defaultSettings,
      ...pace,
      maxUnavailableSeconds,
      pageLimit: random.int(1, 4),
      rounds: random.int(1, 4),
      maxAttempts: random.pick([2, 4, 12]),
      concurrency: random.pick([1, 2, 16]),
    },
    shards: random.int(1, 4),
    faults: { throttled, 'timed-out': timedOut, partial, denied: denied / 10 },
    cut: rate(0.05),
    again: rate(0.3),
    lag: random.pick([0, 0, 1000, 20_000, 55_000, 55_000, 55_000, 90_000]),
    lateness: random.pick([0, 0, 5000, 400_000]),
    skew: random.pick([0, 0, 3_600_000]),
    maxInvocations: random.int(1, 5),
    writeWeight: 0.5 + random.next() * 3,
    archiving: archives.length > 0 ? random.pick([0.1, 0.2, 0.5]) : 0,
    interference: rate(3),
    pauses: pauses ? 0.15 : 0,
    stalling: pauses ? 0.3 : 0,
    staleness: rate(0.6),
    sweeping: archives.some(({ ages }) => ages !== undefined) ? random.pick([0, 0.1, 1]) : 0,
    shortTime,
    longBatches: false,
    longValues: false,
    malformed: random.chance(0.15) ? random.next() * 0.3 : 0,
    outage,
    partitionUnits,
  };
}

/** Pages are small, so that one is paced here that is not in the cloud, and invocations often end in the middle of one. */
function paceOf(
  random: Random,
): Pick<Settings, 'fanOutWriteUnits' | 'pacedWrites'> &
  Pick<FaultProfile, 'partitionUnits'> & { readonly shortTime?: number } {
  if (random.chance(0.6))
    return { fanOutWriteUnits: 800, pacedWrites: 25, partitionUnits: Number.POSITIVE_INFINITY };
  return {
    fanOutWriteUnits: random.pick([50, 200, 800]),
    pacedWrites: random.int(1, 2),
    partitionUnits: random.pick([Number.POSITIVE_INFINITY, 2, 5, 20]),
    shortTime: random.pick([0.3, 0.6]),
  };
}
