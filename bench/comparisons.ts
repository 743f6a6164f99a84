/** What is measured beside what: each line is a ratio, whose two sides are sampled in turn. */
import type { Sampler, Workshop } from './samplers.ts';
import type { WayName } from './ways/index.ts';

export interface Comparison {
  /** As bench/held.json names it. */
  readonly id: string;
  readonly title: string;
  readonly unit: 'kB' | 'ms' | 'µs' | 'MB';
  readonly ours: Sampler;
  readonly other: Sampler;
}

interface Compared {
  readonly id: string;
  readonly title: string;
  readonly ours: string;
  readonly other: string;
}

const sizes: readonly Compared[] = [
  { id: 'bundle', title: 'bundle, Propagate : usual handler', ours: 'Propagate', other: 'usual' },
];

const colds: readonly Compared[] = ['Propagate', 'FanOut', 'Archive', 'Sweep', 'Verify'].map((ours) => ({
  id: `cold-${ours.toLowerCase()}`,
  title: `cold ${ours} : usual handler`,
  ours,
  other: 'usual',
}));

type ComparedWay = Compared & { readonly ours: WayName; readonly other: WayName };

const warm: readonly ComparedWay[] = [
  { id: 'copy', title: 'a copy : its requests alone', ours: 'handler', other: 'requests-alone' },
  { id: 'copy-usual', title: 'a copy : by a usual handler', ours: 'handler', other: 'usual-50' },
  { id: 'own-code', title: 'own code of a copy : its requests', ours: 'own-code', other: 'requests-alone' },
  { id: 'verify', title: 'verify, an item : a Scan alone', ours: 'verify', other: 'scan-alone' },
  {
    id: 'backfill',
    title: 'backfill, 4 copies : requests',
    ours: 'backfill',
    other: 'queries-alone',
  },
];

const heaps: readonly ComparedWay[] = [
  { id: 'heap', title: 'heap, 1,000 copies : usual handler', ours: 'handler', other: 'usual-50' },
];

export const ids: readonly string[] = [...sizes, ...colds, ...warm, ...heaps].map(({ id }) => id);

/** @param seconds how long a round repeats its work, at least once */
export async function comparisonsIn(
  workshop: Workshop,
  { only, seconds }: { readonly only: readonly string[]; readonly seconds: number },
): Promise<Comparison[]> {
  const isAsked = ({ id }: Compared) => only.includes(id);
  // As a table in the same region answers.
  const stub = await workshop.stub(5);
  const bundles = [...sizes, ...colds].some(isAsked)
    ? await workshop.bundles(await workshop.stub(0))
    : { size: new Map<string, Sampler>(), start: new Map<string, Sampler>() };
  // One after the other: while a process warms up, no other one may write.
  const opened = new Map<string, Sampler>();
  const ways = async (what: 'cpu' | 'heap', some: readonly ComparedWay[]) => {
    for (const way of some.flatMap(({ ours, other }) => [ours, other]))
      if (!opened.has(`${what} ${way}`))
        opened.set(`${what} ${way}`, await workshop.way(what, way, stub, seconds));
    return (way: string) => samplerIn(opened, `${what} ${way}`);
  };
  const compared = (
    some: readonly Compared[],
    unit: Comparison['unit'],
    sampler: (name: string) => Sampler,
  ) => some.map((one): Comparison => ({ ...one, unit, ours: sampler(one.ours), other: sampler(one.other) }));
  return [
    ...compared(sizes.filter(isAsked), 'kB', (name) => samplerIn(bundles.size, name)),
    ...compared(colds.filter(isAsked), 'ms', (name) => samplerIn(bundles.start, name)),
    ...compared(warm.filter(isAsked), 'µs', await ways('cpu', warm.filter(isAsked))),
    ...compared(heaps.filter(isAsked), 'MB', await ways('heap', heaps.filter(isAsked))),
  ];
}

function samplerIn(samplers: ReadonlyMap<string, Sampler>, name: string): Sampler {
  const sampler = samplers.get(name);
  if (sampler === undefined) throw new Error(`Expected something called ${name}`);
  return sampler;
}
