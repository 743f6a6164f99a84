import { describe, expect, test } from 'vitest';
import { Pace } from '../../../src/worker/propagation/pace.ts';

function clockAt(start: number) {
  let time = start;
  return {
    now: () => time,
    sleep: async () => {},
    pass(milliseconds: number): void {
      time += milliseconds;
    },
  };
}

/** Makes writes of a unit each at most, of which the last are throttled. @param units what they cost */
function write(pace: Pace, writes: number, units: number, throttled: number): void {
  pace.take(writes);
  pace.note(units, writes - throttled, throttled);
}

/** A pace that has spent what a second saves. */
function spentPace(ceiling = 800) {
  const clock = clockAt(1_000_000);
  const pace = new Pace(ceiling, clock);
  write(pace, ceiling, ceiling, 0);
  return { clock, pace };
}

describe('a pace', () => {
  test('is halved by a throttled write, loses what it saved, and regains a twentieth of its ceiling in a second', () => {
    const { clock, pace } = spentPace();
    clock.pass(1000);

    write(pace, 25, 20, 5);
    expect(pace.report()).toEqual({ unitsPerSecond: 400, throttled: 5 });
    expect([pace.saved(), pace.burst()]).toEqual([0, 400]);

    for (let second = 0; second < 2; second += 1) {
      write(pace, 400, 400, 0);
      clock.pass(1000);
    }
    expect(pace.report()?.unitsPerSecond).toBeCloseTo(478, -1);
  });

  test('falls to 25 units a second at the lowest, and rises to its ceiling at the highest', () => {
    const { pace } = spentPace();

    for (let time = 0; time < 20; time += 1) write(pace, 25, 24, 1);
    expect(pace.report()?.unitsPerSecond).toBe(25);
    for (let time = 0; time < 500; time += 1) write(pace, 200, 200, 0);
    expect(pace.report()?.unitsPerSecond).toBe(800);
  });

  test('is hopeless after six requests of which every write was throttled, and not if one was made', () => {
    const { pace } = spentPace();

    for (let time = 0; time < 5; time += 1) write(pace, 25, 0, 25);
    expect(pace.isHopeless()).toBe(false);
    write(pace, 25, 1, 24);
    for (let time = 0; time < 5; time += 1) write(pace, 25, 0, 25);
    expect(pace.isHopeless()).toBe(false);
    write(pace, 25, 0, 25);
    expect(pace.isHopeless()).toBe(true);
  });

  test('governs more writes than fit in a request, or dear ones, and all once it is in use, or was carried', () => {
    const clock = clockAt(1_000_000);
    const pace = new Pace(800, clock);

    expect(pace.governs(25, 800, 25)).toBe(false);
    expect(pace.governs(26, 26, 25)).toBe(true);
    expect(pace.governs(25, 801, 25)).toBe(true);
    expect(pace.field()).toEqual({});
    expect(pace.report()).toBeUndefined();
    write(pace, 26, 26, 0);
    expect(pace.governs(1, 1, 25)).toBe(true);
    expect(new Pace(800, clock, pace.field()).governs(1, 1, 25)).toBe(true);
    expect(new Pace(Number.POSITIVE_INFINITY, clock, pace.field()).governs(1000, 1000, 25)).toBe(false);
  });
});

describe('a pace that a message carries', () => {
  test('goes on where it was, with its debt', () => {
    const { clock, pace } = spentPace();
    write(pace, 25, 24, 1);

    const next = new Pace(800, clock, pace.field());

    expect(next.waitFor(40)).toBe(pace.waitFor(40));
  });

  test('is no slower than the slowest, so that each delivery advances', () => {
    const next = new Pace(800, clockAt(1_000_000), { pace: { unitsPerSecond: 1, paidAt: 0 } });

    expect(next.waitFor(99)).toBe(2960);
  });

  test('waits for a second at most, whatever a clock said: the queue has waited for the rest', () => {
    const clock = clockAt(1_000_000);
    const pace = new Pace(25, clock);
    write(pace, 25, 275, 0);

    expect(pace.debtSeconds()).toBe(10);
    const next = new Pace(25, clock, { pace: { unitsPerSecond: 25, paidAt: 99_000_000 } });
    expect(next.waitFor(0)).toBe(1000);
  });
});
