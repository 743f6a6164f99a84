import type { Settings } from '../../../src/execution/ports.ts';
import { Random } from '../random.ts';
import { type Fault, faults } from './invocation.ts';

/** Sides of the world, each with its own applications. */
export const applications = ['incidents', 'chat', 'shop', 'boards', 'votes'] as const;

export type Application = (typeof applications)[number];

/** What a run is like: each seed has its own, so that rare things are frequent in some. */
export interface Climate {
  readonly settings: Settings;
  readonly statusShards: number;
  readonly shards: number;
  readonly weights: Readonly<Record<Application, number>>;
  /** How likely a request goes wrong, by the way it does. */
  readonly faults: Readonly<Record<Fault, number>>;
  /** How likely an invocation dies, in each step in which one is served. */
  readonly cut: number;
  /** How likely a batch is given twice, older records come again, a message comes twice. */
  readonly again: number;
  /** How late indexes and messages may be, in milliseconds. */
  readonly lag: number;
  readonly lateness: number;
  readonly skew: number;
  /** How many invocations run side by side at most. */
  readonly crowd: number;
  /** How much the applications write, compared with what the worker does. */
  readonly bustle: number;
  /** How much of the reading is for the archive. */
  readonly archiving: number;
  /** How often somebody writes just what the worker is about to write. */
  readonly meddling: number;
  /** How likely an application works on what it read long ago. */
  readonly staleness: number;
  /** How likely the time of an invocation runs out early. */
  readonly hurry: number;
}

/** The climate of a seed. Each kind of fault is off in half of the seeds. */
export function climateOf(seed: number): Climate {
  const random = new Random(seed ^ 0x5eed);
  const rate = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  const focus = random.some(applications, 0.4);
  const drawn = focus.length > 0 ? focus : [random.pick(applications.slice(0, 4))];
  const weight = (name: Application): number =>
    drawn.includes(name) ? (name === 'votes' ? 0.2 : random.int(1, 3)) : 0;
  const [throttled = 0, timedOut = 0, partial = 0, denied = 0] = faults.map(() => rate(0.15));
  return {
    settings: {
      pageLimit: random.int(1, 4),
      settleDelaySeconds: 60,
      rounds: random.int(1, 4),
      mostHops: random.pick([2, 4, 12]),
      concurrency: random.pick([1, 2, 16]),
    },
    statusShards: random.pick([1, 3]),
    shards: random.int(1, 4),
    weights: {
      incidents: weight('incidents'),
      chat: weight('chat'),
      shop: weight('shop'),
      boards: weight('boards'),
      votes: weight('votes'),
    },
    faults: { throttled, 'timed-out': timedOut, partial, denied: denied / 10 },
    cut: rate(0.05),
    again: rate(0.3),
    lag: random.pick([0, 0, 1000, 20_000, 55_000, 55_000, 55_000, 90_000]),
    lateness: random.pick([0, 0, 5000, 400_000]),
    skew: random.pick([0, 0, 3_600_000]),
    crowd: random.int(1, 5),
    bustle: 0.5 + random.next() * 3,
    archiving: random.pick([0.1, 0.2, 0.5]),
    meddling: rate(3),
    staleness: rate(0.6),
    hurry: rate(0.3),
  };
}
