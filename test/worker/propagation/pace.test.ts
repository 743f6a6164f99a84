import { describe, expect, test } from 'vitest';
import { Pace } from '../../../src/worker/propagation/pace.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

/** Makes writes of a unit each at most, of which the last are throttled. @param units what they cost */
async function write(pace: Pace, writes: number, units: number, throttled: number): Promise<void> {
  await pace.send(Array(writes).fill({ units: 1 }), async (onSpent) => {
    onSpent(units, 999);
    return [...Array(writes - throttled).fill('written'), ...Array(throttled).fill('throttled')];
  });
}

/** A pace that has spent what a second saves. */
async function spentPace(ceiling = 800) {
  const clock = new VirtualClock();
  const pace = new Pace(ceiling, clock);
  await write(pace, ceiling, ceiling, 0);
  return { clock, pace };
}

/** How many writes of a unit a request has, and how long it waits. */
function next(pace: Pace, writes: number): number[] {
  const some = pace.nextOf(Array(writes).fill({ units: 1 }), 1000, 25);
  return [some.length, pace.waitMs(some)];
}

describe('a pace', () => {
  test('spends what is saved at once, then waits for requests of a few writes', async () => {
    const pace = new Pace(800, new VirtualClock());

    expect(next(pace, 900)).toEqual([800, 0]);
    await write(pace, 800, 800, 0);
    expect(next(pace, 900)).toEqual([25, 32]);
    expect(pace.nextOf([{ units: 900 }, { units: 1 }], 25, 25)).toHaveLength(1);
  });

  test('is halved by a throttled write, and regains a twentieth in a second', async () => {
    const { clock, pace } = await spentPace();
    await clock.sleep(1000);

    await write(pace, 25, 20, 5);
    expect(pace.report()).toEqual({ unitsPerSecond: 400, throttled: 5 });
    expect(next(pace, 1000)).toEqual([25, 63]);

    for (let second = 0; second < 2; second += 1) await write(pace, 400, 400, 0);
    expect(pace.report()?.unitsPerSecond).toBeCloseTo(478, -1);
  });

  test('falls to 25 units a second, and rises to its ceiling', async () => {
    const { pace } = await spentPace();

    for (let time = 0; time < 20; time += 1) await write(pace, 25, 24, 1);
    expect(pace.report()?.unitsPerSecond).toBe(25);
    for (let time = 0; time < 500; time += 1) await write(pace, 200, 200, 0);
    expect(pace.report()?.unitsPerSecond).toBe(800);
  });

  test('is hopeless after six requests of which every write was throttled', async () => {
    const { pace } = await spentPace();

    for (let time = 0; time < 5; time += 1) await write(pace, 25, 0, 25);
    expect(pace.isHopeless()).toBe(false);
    await write(pace, 25, 1, 24);
    for (let time = 0; time < 5; time += 1) await write(pace, 25, 0, 25);
    expect(pace.isHopeless()).toBe(false);
    await write(pace, 25, 0, 25);
    expect(pace.isHopeless()).toBe(true);
  });

  test('governs more writes than fit in a request, and all once it is in use', async () => {
    const clock = new VirtualClock();
    const pace = new Pace(800, clock);

    expect(pace.governs(25, 800, 25)).toBe(false);
    expect(pace.governs(26, 26, 25)).toBe(true);
    expect(pace.governs(25, 801, 25)).toBe(true);
    expect(pace.field()).toEqual({});
    expect(pace.report()).toBeUndefined();
    await write(pace, 26, 26, 0);
    expect(pace.governs(1, 1, 25)).toBe(true);
    expect(new Pace(800, clock, pace.field()).governs(1, 1, 25)).toBe(true);
    expect(new Pace(Number.POSITIVE_INFINITY, clock, pace.field()).governs(1000, 1000, 25)).toBe(false);
  });
});

describe('a pace that a message carries', () => {
  test('goes on where it was, with its debt', async () => {
    const { clock, pace } = await spentPace();
    await write(pace, 25, 24, 1);

    expect(next(new Pace(800, clock, pace.field()), 20)).toEqual(next(pace, 20));
  });

  test('is no slower than the slowest, so that each delivery advances', () => {
    const pace = new Pace(800, new VirtualClock(), { pace: { unitsPerSecond: 1, paidAt: 0 } });

    expect(pace.waitMs([{ units: 99 }])).toBe(2960);
  });

  test('waits for a second at most, whatever a clock said', async () => {
    const clock = new VirtualClock(1_000_000);
    const pace = new Pace(25, clock);
    await write(pace, 25, 275, 0);

    expect(pace.debtSeconds()).toBe(10);
    const carried = new Pace(25, clock, { pace: { unitsPerSecond: 25, paidAt: 99_000_000 } });
    expect(carried.waitMs([])).toBe(1000);
  });
});
