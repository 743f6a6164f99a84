import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/errors.ts';
import { Budget } from '../../../src/worker/scan/budget.ts';
import { Interrupted } from '../../../src/worker/scan/metered-table.ts';
import { isFinished } from '../../../src/worker/scan/scan-table.ts';
import { driftIn, type VerifyState, verifyStateSchema } from '../../../src/worker/verify/verify-state.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { ModelSearch } from './search.ts';

describe('the grace period', () => {
  test('dismisses a copy that is right at the second check', async () => {
    const search = new ModelSearch([aVoyage({ Captain: 'Nemo' }), aBooking('ann')]);
    const arrived = search.clock
      .sleep(4000)
      .then(() => search.table.put(aBooking('ann', { Captain: 'Nemo' })));

    await search.run();
    await arrived;

    expect(search.lines()).toEqual([]);
  });

  test('dismisses a copy that is updated after its root has changed again', async () => {
    const search = new ModelSearch([aVoyage({ Captain: 'Nemo' }), aBooking('ann')]);
    const arrived = search.clock
      .sleep(4000)
      .then(() => search.table.put(aVoyage({ Captain: 'Bligh' })))
      .then(() => search.clock.sleep(4000))
      .then(() => search.table.put(aBooking('ann', { Captain: 'Bligh' })));

    await search.run();
    await arrived;

    expect(search.lines()).toEqual([]);
  });

  test('is the whole wait before an unchanged copy counts as drift', async () => {
    const search = new ModelSearch(wrong(1));
    const began = search.clock.now();

    await search.run();

    expect(search.lines()).toHaveLength(1);
    expect(search.clock.now() - began).toBe(5000);
  });

  test('dismisses a copy that was removed, and one that is of another kind now', async () => {
    const search = new ModelSearch([
      aSailor(),
      aCrewing('pequod', { Name: 'x' }),
      aCrewing('dolphin', { Name: 'y' }),
    ]);
    const arrived = search.clock.sleep(4000).then(() => {
      search.table.delete(keyIn(aCrewing('pequod')));
      search.table.put(aCrewing('dolphin', { Kind: 'Stowaway', Name: 'y' }));
    });

    await search.run();
    await arrived;

    expect(search.lines()).toEqual([]);
  });

  test('counts a copy that is rewritten again and again as unstable, not as drift', async () => {
    const search = new ModelSearch([aVoyage(), aBooking('ann', { Captain: 'number 0' })]);
    search.port.before = (request) => {
      if (request.kind === 'getMany')
        search.table.put(aBooking('ann', { Captain: `number ${search.table.history.length}` }));
    };

    const began = search.clock.now();
    const told: number[] = [];

    const state = await search.run({
      onDrift: async (found) => {
        told.push(found.length);
      },
    });

    expect(told).toEqual([]);
    expect(state.rules['voyage-on-bookings']?.unstable).toBe(1);
    // Ten looks, a grace between each two of them.
    expect(search.clock.now() - began).toBe(9 * 5000);
  });

  test('counts a copy as drift if it stays unchanged while its root changes again and again', async () => {
    const search = new ModelSearch([aVoyage(), aBooking('ann', { Captain: 'left behind' })]);
    search.port.before = (request) => {
      if (request.kind === 'getMany')
        search.table.put(aVoyage({ Captain: `number ${search.table.history.length}` }));
    };
    const began = search.clock.now();

    await search.run();

    // The first look, and three at which it stood as before.
    expect(search.clock.now() - began).toBe(3 * 5000);

    expect(search.lines()).toEqual(['differs voyage-on-bookings line_1#voyage_a#bookings ann: Captain']);
  });

  test('does not trust a scan that is a second late', async () => {
    const search = new ModelSearch([aVoyage(), aBooking('ann', { Captain: 'before' })]);
    await search.clock.sleep(60_000);
    search.table.put(aBooking('ann'));
    const late = search.table.readLate(keyIn(aBooking('ann')));
    expect(late).toEqual(aBooking('ann', { Captain: 'before' }));
    search.scan.scan = async () => ({ entries: [late ?? aBooking('ann')], next: undefined, units: 1 });

    await search.run();

    expect(search.lines()).toEqual([]);
  });
});

describe('an interrupted search', () => {
  test('misses nothing and counts nothing twice, however often it is interrupted', async () => {
    const search = new ModelSearch(Array.from({ length: 150 }, (_, n) => wrong(n)).flat());
    let state: VerifyState | undefined;

    let runs = 0;
    for (; runs < 100; runs += 1) {
      let told = 0;
      const next: VerifyState = await search.run(
        {
          // A page of a few items each.
          budget: new Budget(0.3, search.clock),
          stop: () => told > 2,
          onState: () => {
            told += 1;
          },
        },
        state && verifyStateSchema.parse(JSON.parse(JSON.stringify(state))),
      );
      state = next;
      if (isFinished(state.point) && state.suspectedDrifts.length === 0) break;
    }

    expect(runs).toBeGreaterThan(2);
    expect(state && driftIn(state)).toBe(150);
    expect(new Set(search.lines()).size).toBe(150);
    expect(search.lines()).toHaveLength(150);
    expect(state?.items).toBe(300);
    expect(state?.rules['voyage-on-bookings']?.copies).toBe(150);
  });

  test('ends if the table stays unavailable, and retries if it is unavailable for a moment', async () => {
    const search = new ModelSearch(wrong(1));
    let refusals = 3;
    search.port.before = () => {
      refusals -= 1;
      if (refusals >= 0) throw new TransientError('aws.throttled', 'throttled');
    };

    await search.run();
    expect(search.lines()).toHaveLength(1);

    refusals = 100;
    await expect(search.run()).rejects.toThrow('throttled');
  });

  test('keeps its suspects when it is interrupted during a second check', async () => {
    const search = new ModelSearch(wrong(1));
    const began = search.clock.now();
    search.port.before = () => {
      if (search.clock.now() > began) throw new Interrupted();
    };

    const state = await search.run();

    expect(isFinished(state.point)).toBe(true);
    expect(state.suspectedDrifts).toMatchObject([{ rule: 'voyage-on-bookings', looks: 1, left: 0 }]);
    expect(search.lines()).toEqual([]);
  });
});

function wrong(number: number) {
  return [
    aVoyage({ Sort: `voyage_${number}` }),
    aBooking('ann', { Part: `line_1#voyage_${number}#bookings`, Captain: 'Nemo' }),
  ];
}
