import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/item.ts';
import { lookAt } from '../../../src/worker/verify/inspect.ts';
import {
  type Confirmed,
  type SuspectedDriftsOptions,
  suspectedIn,
  suspectedDrifts as suspectsOf,
} from '../../../src/worker/verify/suspected-drift.ts';
import { aBooking, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { ModelSearch } from './search.ts';

const never = () => false;

describe('the wait for suspects', () => {
  test('wakes up when the first suspect is due, and ends when few enough are left', async () => {
    const { clock, suspectedDrifts, suspectedDrift, told } = await stage(['ann', 'bob']);
    await suspectedDrift('ann');
    await clock.sleep(4100);
    await suspectedDrift('bob');

    await suspectedDrifts.untilAtMost(1, never);

    expect(clock.passed()).toBe(5000);
    expect(told).toEqual(['ann']);
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

describe('suspects that are checked', () => {
  test('are checked five hundred at once', async () => {
    const guests = Array.from({ length: 1200 }, (_, n) => `guest ${n}`);
    const { clock, suspectedDrifts, suspectedDrift, lookedAt } = await stage(guests);
    await suspectedDrift(...guests);
    await clock.sleep(5000);

    await suspectedDrifts.lookAtDue(never);

    expect(lookedAt).toEqual([500, 500, 200]);
    expect(suspectedDrifts.list()).toEqual([]);
  });

  test('stay listed until they have been reported, and so do those that become due meanwhile', async () => {
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

  test('stay unchanged if a check or its report fails', async () => {
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

  test('are dismissed if their rule does not exist any more', async () => {
    const { clock, search, told, options } = await stage(['ann']);
    const seen = { copy: '', root: '' };
    const copy = { pk: 'line_1#voyage_a#bookings', sk: 'ann' };
    const yesterdays = { rule: 'of-yesterday', copy, seen, looks: 1, left: 0, dueAt: clock.now() };
    const suspectedDrifts = suspectsOf(options, [yesterdays]);

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
  const suspectedDrifts = suspectsOf(options, []);
  async function suspectedDrift(...some: readonly string[]): Promise<void> {
    const copies = some.map((guest): Item => wrong.get(guest) ?? {});
    suspectedDrifts.add(
      suspectedIn(
        await lookAt(
          options,
          copies.map((copy) => ({ rule: voyageOnBookings, copy })),
        ),
        clock.now() + options.grace,
      ),
    );
  }
  return { search, clock, suspectedDrifts, suspectedDrift, told, lookedAt, options };
}
