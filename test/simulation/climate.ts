import { Random } from '../../src/develop/testing/simulation/random.ts';
import type { Climate as AnyClimate } from '../../src/develop/testing/simulation/world/climate.ts';
import { faults } from '../../src/develop/testing/simulation/world/invocation.ts';
import { pacedClimate } from '../../src/develop/testing/simulation/world/paced-climate.ts';
import { defaultSettings, type Settings } from '../../src/worker/ports.ts';
import type { Extreme } from './applications/extremes.ts';

/** Sides of the world, each with its own applications. */
export const applications = ['incidents', 'chat', 'shop', 'boards', 'vault', 'votes'] as const;

export type Application = (typeof applications)[number];

/** The climate of these applications. */
export interface Climate extends AnyClimate {
  readonly statusShards: number;
  readonly weights: Readonly<Record<Application, number>>;
  /** What is so large, so wide or so long in some seeds that a limit is in the way. */
  readonly extreme: Extreme | undefined;
}

/** What is seldom met has numbers of its own: the other seeds are as they would be without it. */
function oddities(seed: number, climate: Usual): Climate {
  const random = new Random(seed ^ 0x0dd);
  const extreme = random.weighted<Extreme | undefined>([
    [0.05, 'wide'],
    [0.04, 'large'],
    [0.02, 'long'],
    [0.89, undefined],
  ]);
  const garbling = random.chance(0.15) ? random.next() * 0.3 : 0;
  const outage = random.chance(0.15) ? random.int(3, 12) * 3_600_000 : 0;
  const settings = impatient(random.chance(0.1), outage, extreme, climate.settings);
  const longBatches = extreme === 'long';
  const longValues = extreme === 'large';
  const odd = { ...climate, settings, extreme, longBatches, longValues, garbling, outage };
  if (extreme === undefined) return odd;
  const idle = { incidents: 0, chat: 0, shop: 0, boards: 0, vault: 0, votes: 0 };
  if (extreme === 'wide') return { ...odd, weights: { ...idle, incidents: 1, boards: 3 } };
  if (extreme === 'large')
    return { ...odd, settings: { ...settings, pageLimit: 4 }, weights: { ...idle, boards: 3 } };
  // Only where many copies of one root come in one batch does a message name them all.
  return {
    ...odd,
    settings: { ...settings, pageLimit: Math.min(settings.pageLimit, 3) },
    weights: { ...idle, shop: 1 },
    shards: 1,
  };
}

/**
 * Gives up what is unavailable for longer than one fault after another lasts, so that giving up is met too. Long keys make so
 * many messages of one root that a partition of a few units a second needs longer for them.
 */
function impatient(
  chosen: boolean,
  outage: number,
  extreme: Extreme | undefined,
  settings: Settings,
): Settings {
  return chosen && outage === 0 && extreme !== 'long' ? { ...settings, maxUnavailableSeconds: 30 } : settings;
}

/** The climate of a seed. Each kind of fault is off in half of the seeds. */
export function climateOf(seed: number): Climate {
  return oddities(seed, usual(seed));
}

type Usual = Omit<Climate, 'extreme' | 'longBatches' | 'longValues' | 'garbling' | 'outage'>;

function usual(seed: number): Usual {
  const random = new Random(seed ^ 0x5eed);
  const rate = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  const focus = random.some(applications, 0.4);
  // What is erased and made anew goes wrong only where the same few records come again and again.
  const haunted = random.chance(0.06);
  const drawn = haunted
    ? (['vault'] as const)
    : focus.length > 0
      ? focus
      : [random.pick(applications.slice(0, 5))];
  const weight = (name: Application): number =>
    drawn.some((one) => one === name) ? (name === 'votes' ? 0.2 : random.int(1, 3)) : 0;
  const [throttled = 0, timedOut = 0, partial = 0, denied = 0] = faults.map(() => rate(0.15));
  const { partitionUnits, hurry, ...paced } = pacedClimate(seed);
  return {
    settings: {
      pageLimit: random.int(1, 4),
      recheckDelaySeconds: 60,
      rounds: random.int(1, 4),
      maxAttempts: random.pick([2, 4, 12]),
      maxUnavailableSeconds: defaultSettings.maxUnavailableSeconds,
      concurrency: random.pick([1, 2, 16]),
      ...paced,
    },
    partitionUnits,
    statusShards: random.pick([1, 3]),
    shards: random.int(1, 4),
    weights: {
      incidents: weight('incidents'),
      chat: weight('chat'),
      shop: weight('shop'),
      boards: weight('boards'),
      vault: weight('vault'),
      votes: weight('votes'),
    },
    faults: { throttled, 'timed-out': timedOut, partial, denied: denied / 10 },
    cut: rate(0.05),
    again: haunted ? 0.6 : rate(0.3),
    lag: random.pick([0, 0, 1000, 20_000, 55_000, 55_000, 55_000, 90_000]),
    lateness: random.pick([0, 0, 5000, 400_000]),
    skew: random.pick([0, 0, 3_600_000]),
    crowd: random.int(1, 5),
    bustle: 0.5 + random.next() * 3,
    archiving: haunted ? 1 : random.pick([0.1, 0.2, 0.5]),
    meddling: rate(3),
    lulls: 0,
    stalling: 0,
    staleness: rate(0.6),
    sweeping: random.pick([0, 0.1, 1]),
    hurry: hurry ?? rate(0.3),
  };
}
