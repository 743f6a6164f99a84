import { Random } from '../examples/random.ts';
import type { Registry } from '../model/rules/registry.ts';
import { defaultSettings } from '../worker/ports.ts';
import { keysAtOnce, mostBytes } from '../worker/propagation/item-memory.ts';
import { faults } from './world/fault-kinds.ts';
import { signatureLasts } from './world/late-effects.ts';

export type FaultProfile = ReturnType<typeof faultProfileOf>;

/** What a run is like: each seed has its own, so that rare things are frequent in some. Each kind of fault is off in half of them. */
export function faultProfileOf(seed: number, { archives, aggregates }: Registry) {
  const random = new Random(seed ^ 0x5eed);
  const rate = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  const [throttled = 0, timedOut = 0, late = 0, partial = 0, denied = 0] = faults.map(() => rate(0.15));
  const outage = random.chance(0.15) ? random.int(3, 12) * 3_600_000 : 0;
  // Giving up is met only if unavailability may last no longer than a few faults, or than a part of an outage.
  const maxUnavailableSeconds =
    outage > 0
      ? random.pick([1800, 7200, defaultSettings.maxUnavailableSeconds])
      : random.chance(0.1)
        ? 30
        : defaultSettings.maxUnavailableSeconds;
  const otherStreams = random.chance(0.3) ? 0.1 : 0;
  // Totals are observed at rest alone, so they need pauses.
  const pauses = random.chance(0.3) || aggregates.length > 0;
  // Pages are small, so that one is paced here that is not in the cloud, and invocations often end in the middle of one.
  const isPaced = random.chance(0.4);
  const recheckDelaySeconds = random.pick([defaultSettings.recheckDelaySeconds, 12, 300]);
  return {
    settings: {
      ...defaultSettings,
      ...(isPaced
        ? { fanOutWriteUnits: random.pick([50, 200, 800]), pacedWrites: random.int(1, 2) }
        : { fanOutWriteUnits: 800, pacedWrites: 25 }),
      maxUnavailableSeconds,
      recheckDelaySeconds,
      pageLimit: random.int(1, 4),
      rounds: random.int(1, 4),
      maxAttempts: random.pick([2, 4, 12]),
      concurrency: random.pick([1, 2, 16]),
    },
    /** Writes that a partition takes in a second, and at once after a second without any; `Infinity` if all. */
    partitionUnits: isPaced ? random.pick([Number.POSITIVE_INFINITY, 2, 5, 20]) : Number.POSITIVE_INFINITY,
    shards: random.int(1, 4),
    faults: {
      throttled,
      'timed-out': timedOut,
      late: 3 * late,
      partial,
      denied: denied / 10,
    },
    /** How long after it was made a request may take effect that its invocation has given up, in milliseconds. */
    effectsWithin: random.pick([1000, 0.9 * recheckDelaySeconds * 1000, signatureLasts]),
    /** How likely an invocation crashes, in each step in which one is served. */
    crash: rate(0.05),
    /** How likely a batch is given twice, older records come again, a message comes twice. */
    again: rate(0.3),
    /** How often a message is given to an invocation while another has it. */
    twiceAtOnce: rate(2),
    /** How late indexes, mostly less than the recheck delay, and messages may be, and how far off the stream's clock, in milliseconds. */
    lag: random.pick([0, 0, 0.02, 0.3, 0.9, 0.9, 0.9, 1.5]) * recheckDelaySeconds * 1000,
    lateness: random.pick([0, 0, 5000, 400_000]),
    // Which of two streams' records is the later one, only their times tell.
    skew: otherStreams > 0 ? 0 : random.pick([0, 0, 3_600_000]),
    otherStreams,
    maxInvocations: random.int(1, 5),
    writeWeight: 0.5 + random.next() * 3,
    archiving: archives.length > 0 ? random.pick([0.1, 0.2, 0.5]) : 0,
    contention: rate(3),
    /** How often applications make of an item one of another kind, such as a tombstone. */
    retyping: random.pick([0, 0.7]),
    /** How often applications pause until the worker has nothing left to do, except for invocations that stall. */
    pauses: pauses ? 0.15 : 0,
    stalling: pauses ? 0.3 : 0,
    staleness: rate(0.6),
    sweeping: archives.some(({ ages }) => ages !== undefined) ? random.pick([0, 0.1, 1]) : 0,
    shortTime: isPaced ? random.pick([0.3, 0.6]) : rate(0.3),
    longBatches: false,
    malformed: random.chance(0.15) ? random.next() * 0.3 : 0,
    /** How long the table is away at the end of the run, in milliseconds; 0 if it is not. */
    outage,
    /** Bytes of items that an invocation may hold at once: in some runs those of a few items only. */
    memory: mostBytes(random.pick([keysAtOnce, keysAtOnce, 1, 3])),
    /** Items that a read of many keys returns at once, as far as the caller lets it. */
    readAtOnce: random.pick([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1, 2]),
    /** How likely an application writes a value that its schema rejects. */
    invalid: random.chance(0.3) ? random.next() * 0.1 : 0,
    /** Whether records of the last changes outlive the stream, so that only a repair brings copies and totals up to date. */
    losesRecords: random.chance(0.3),
    /** How often an operator pauses a rule, or ends all pauses. */
    pausing: random.chance(0.2) ? 0.1 : 0,
  };
}
