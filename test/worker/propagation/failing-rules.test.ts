import { describe, expect, test } from 'vitest';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import {
  aBooking,
  aCrewing,
  aFleet,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../../fixtures/cruises/cruise-items.ts';
import { cruises, dateOnLegs, nameOnCrew, voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';

const everything = [
  ...[aVoyage(), aBooking('g'), aFleet({ Brand: 'Star' }), aSailor(), aCrewing('s')],
  ...[aTicket(), aGuestTicket({ Price: 1 }), aLeg()],
];

const nowhere: Rule['located'] = { in: 'partition', at: () => [] as never };
const throws = () => {
  throw new TypeError('a secret');
};

/** Rules with one function that does not do as its type says. */
const broken: readonly (readonly [string, Rule, string])[] = [
  ['located.at returns an array', { ...voyageOnBookings, located: nowhere }, 'located.at'],
  ['rootOf returns a key without sk', { ...nameOnCrew, rootOf: () => ({ pk: 'p' }) as never }, 'rootOf'],
  ['rootOf throws', { ...nameOnCrew, rootOf: throws }, 'rootOf'],
  ['derive returns a Promise', { ...dateOnLegs, derive: { OwnerSort: async () => 'x' } as never }, 'derive'],
];

describe.each(broken)('if %s', (_, rule, does) => {
  test('its items are dead-lettered with rule and function, and other rules propagate', async () => {
    const worker = new ModelWorker(cruises(rule));
    for (const item of everything) worker.table.put(item);

    await worker.rest();

    const { deadLettered } = worker.queue;
    expect(deadLettered.length).toBeGreaterThan(0);
    for (const { code, reason } of deadLettered) {
      expect(code).toMatch(/^rule\.(returned|threw)$/);
      expect(reason).toMatch(new RegExp(`${does}\\S* of rule ${rule.name}`));
      expect(reason).not.toContain('secret');
    }
    expect(worker.telemetry.failures).toEqual([]);
    expect(worker.table.read(keyIn(aVoyage()))).toMatchObject({ Brand: { S: 'Star' } });
    expect(worker.table.read(keyIn(aGuestTicket()))).toMatchObject({ Price: { N: '59.97' } });
  });
});

describe('a copy of which rootOf fails', () => {
  const rule: Rule = { ...nameOnCrew, rootOf: () => [] as never };

  test('is dead-lettered when it is written, by its own key: nothing tells its root', async () => {
    const worker = new ModelWorker(cruises(rule));
    worker.table.put(aCrewing('s'));

    await worker.rest();

    expect(worker.queue.deadLettered).toEqual([
      {
        code: 'rule.returned',
        reason:
          'Expected rootOf of rule name-on-crew to return { pk, sk }, all text, or undefined, got an array: correct the function',
        about: { rule: 'name-on-crew', key: { pk: 'SHIP#s', sk: 'CREW#1' } },
      },
    ]);
  });

  test('is dead-lettered by its key when a root propagates to it', async () => {
    const worker = new ModelWorker(cruises(rule));
    worker.table.put(aCrewing('s'));
    await worker.rest();
    worker.queue.deadLettered.length = 0;
    worker.table.put(aSailor({ Name: 'Queequeg' }));

    await worker.rest();

    expect(worker.queue.deadLettered).toContainEqual({
      code: 'rule.returned',
      reason: expect.stringContaining('rootOf of rule name-on-crew'),
      message: expect.objectContaining({ root: keyIn(aSailor()), copies: [keyIn(aCrewing('s'))] }),
    });
  });
});
