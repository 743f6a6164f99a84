import { describe, expect, test } from 'vitest';
import { lookAt } from '../../src/drift/inspect.ts';
import {
  type Confirmed,
  SuspectedDrifts,
  type SuspectedDriftsOptions,
} from '../../src/drift/suspected-drift.ts';
import type { Item } from '../../src/model/item.ts';
import { aBooking, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import { voyageOnBookings } from '../fixtures/cruises/cruise-rules.ts';
import { ModelSearch } from './search.ts';

const never = () => false;

describe('who waits for suspects', () => {
  test('wakes up when the first of them is due, and goes on when there are few enough', async () => {
    const { clock, suspectedDrifts, suspectedDrift, told } = await stage(['ann', 'bob']);
    await suspectedDrift('ann');
    await clock.sleep(4100);
    await suspectedDrift('bob');

    await suspectedDrifts.untilAtMost(1, never);

    expect(clock.passed()).toBe(5000);
    expect(told).toEqual(['ann']);
  });

  test('is not kept for a whole grace when asked to stop', async () => {
    const { clock, suspectedDrifts, suspectedDrift } = await stage(['ann']);
    await suspectedDrift('ann');

    await suspectedDrifts.untilAtMost(0, () => clock.passed() >= 1000);

    expect(clock.passed()).toBe(1000);
    expect(suspectedDrifts.list()).toHaveLength(1);
  });

  test.each([5000, 60_000])('does not sleep after %i ms, when their time has come', async (passed) => {
    const { clock, suspectedDrifts, suspectedDrift, told } = await stage(['ann']);
    await suspectedDrift('ann');
    await clock.sleep(passed);
    clock.slept.length = 0;

    await suspectedDrifts.untilAtMost(0, never);

    expect(told).toEqual(['ann']);
    expect(clock.slept).toEqual([]);
  });
});

describe('suspects that are looked at', () => {
  test('are five hundred at once', async () => {
    const guests = Array.from({ length: 1200 }, (_, n) => `guest ${n}`);
    const { clock, suspectedDrifts, suspectedDrift, lookedAt } = await stage(guests);
    await suspectedDrift(...guests);
    await clock.sleep(5000);

    await suspectedDrifts.lookAtDue(never);

    expect(lookedAt).toEqual([500, 500, 200]);
    expect(suspectedDrifts.list()).toEqual([]);
  });

  test('are still listed until somebody has been told of them, and so are those whose propagation comes meanwhile', async () => {
    const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
    const { clock, suspectedDrifts, suspectedDrift } = await stage(['ann', 'bob'], async ({ found }) => {
      if (found[0]?.drift.copy.sk === 'bob') await heard;
    });
    await suspectedDrift('bob');
    await clock.sleep(1000);
    await suspectedDrift('ann');
    await clock.sleep(4000);
    const bobs = suspectedDrifts.lookAtDue(never);
    await clock.sleep(1000);

    await suspectedDrifts.lookAtDue(never);
    expect(suspectedDrifts.list().map(({ copy }) => copy.sk)).toEqual(['bob']);

    hear();
    await bobs;
    expect(suspectedDrifts.list()).toEqual([]);
  });

  test('stay suspected as they were where a look fails, or telling of it', async () => {
    const { clock, search, suspectedDrifts, suspectedDrift } = await stage(['ann', 'bob'], async () => {
      throw new Error('nobody listens');
    });
    await suspectedDrift('ann', 'bob');
    const before = suspectedDrifts.list();
    await clock.sleep(5000);
    // One is drift, and one would be looked at again.
    search.table.put(aBooking('bob', { Captain: 'Bligh' }));

    await expect(suspectedDrifts.lookAtDue(never)).rejects.toThrow('nobody listens');
    expect(suspectedDrifts.list()).toEqual(before);

    search.port.before = () => {
      throw new Error('nothing is read');
    };
    await expect(suspectedDrifts.lookAtDue(never)).rejects.toThrow('nothing is read');
    expect(suspectedDrifts.list()).toEqual(before);
  });

  test('of a rule that is not in force any more are dismissed', async () => {
    const { clock, search, told, options } = await stage(['ann']);
    const seen = { copy: '', root: '' };
    const copy = { pk: 'line_1#voyage_a#bookings', sk: 'ann' };
    const yesterdays = { rule: 'of-yesterday', copy, seen, looks: 1, left: 0, dueAt: clock.now() };
    const suspectedDrifts = new SuspectedDrifts(options, [yesterdays]);

    await suspectedDrifts.lookAtDue(never);

    expect([told, suspectedDrifts.list()]).toEqual([[], []]);
    expect(search.port.counts.getMany).toBe(1);
  });
});

/** A voyage with bookings of these guests, all wrong. Suspects, whom to suspect, and who turned out to be drift. */
async function stage(
  guests: readonly string[],
  listen: (confirmed: Confirmed) => Promise<void> = async () => {},
) {
  const wrong = new Map(guests.map((guest) => [guest, aBooking(guest, { Captain: 'Nemo' })]));
  const search = new ModelSearch([aVoyage(), ...wrong.values()]);
  const began = search.clock.now();
  const slept: number[] = [];
  const clock = {
    slept,
    now: () => search.clock.now(),
    passed: () => search.clock.now() - began,
    sleep(milliseconds: number) {
      slept.push(milliseconds);
      return search.clock.sleep(milliseconds);
    },
  };
  const told: string[] = [];
  const lookedAt: number[] = [];
  const options: SuspectedDriftsOptions = {
    ...search.search({ clock }),
    async confirm(confirmed) {
      await listen(confirmed);
      lookedAt.push(confirmed.found.length);
      told.push(...confirmed.found.map(({ drift }) => drift.copy.sk));
      return { done: () => {}, postponed: [] };
    },
  };
  const suspectedDrifts = new SuspectedDrifts(options, []);
  async function suspectedDrift(...some: readonly string[]): Promise<void> {
    const copies = some.map((guest): Item => wrong.get(guest) ?? {});
    suspectedDrifts.add(
      await lookAt(
        options,
        copies.map((copy) => ({ rule: voyageOnBookings, copy })),
      ),
    );
  }
  return { search, clock, suspectedDrifts, suspectedDrift, told, lookedAt, options };
}
