import { describe, expect, test } from 'vitest';
import { type EventRecord, explainEvent } from '../../../src/cli/explain/explain.ts';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import { type Item, keyIn } from '../../../src/model/item.ts';
import type { Message } from '../../../src/model/message.ts';
import { defaultSettings, type TablePort } from '../../../src/worker/ports.ts';
import { aBooking, aCrewing, aFleet, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { cruises } from '../../fixtures/cruises/cruise-rules.ts';
import { portOf } from '../../fixtures/model/port-of.ts';
import { table } from '../../fixtures/model/table.ts';

const registry = cruises();
const settings = { ...defaultSettings, pageLimit: 2 };
const rename: Message = {
  ...{ rule: 'name-on-crew', root: { pk: 'SAILOR#1', sk: 'SAILOR' }, cause: 'changed', attempts: 0 },
};
const ships = ['p', 'q', 'r', 's', 't'].map((ship) => aCrewing(ship));
const renamed = aSailor({ Name: 'Queequeg' });

function on(...items: Item[]): TablePort {
  const refuse = () => Promise.reject(new Error('Expected no write'));
  return Object.assign(portOf(table, items), { update: refuse, transact: refuse });
}

/** The rounds that follow from these records. */
async function planned(port: TablePort, records: readonly EventRecord[], maxDeliveries?: number) {
  const { rounds } = await explainEvent({ registry, table: port, settings, maxDeliveries }, records);
  return rounds;
}

describe('a planned propagation', () => {
  test('continues through the queue, and is looked at again', async () => {
    const [round] = await planned(on(renamed, ...ships), [{ message: rename }]);

    expect(round?.work).toMatchObject([
      {
        where: ['index ByOwner, partition SAILOR#1, sort keys that begin with SHIP#'],
        found: { written: 5, unchanged: 0 },
        ...{ messages: 5, notFollowed: 0 },
      },
    ]);
  });

  test('is followed as far as requested, and reports what is left', async () => {
    const [round] = await planned(on(renamed, ...ships), [{ message: rename }], 1);

    expect(round?.work).toMatchObject([{ messages: 0, notFollowed: 1 }]);
  });

  test('splits a write that is too large into several, as the worker does', async () => {
    const many = Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`A${index}`, `${index}`]));
    const root = keyIn(table, aVoyage());
    const message = { ...rename, rule: 'voyage-on-bookings', root };
    const [round] = await planned(on(aVoyage(many), aBooking('g')), [{ message }]);

    expect(round?.work.flatMap(({ writes }) => writes.map(({ set }) => set.length))).toEqual([100, 100, 30]);
  });

  test('dead-letters an invalid root, and a message of an unknown rule', async () => {
    const port = on(aVoyage({ State: undefined }), aBooking('g'));
    const root = keyIn(table, aVoyage());
    const deadLettered = async (rule: string) =>
      (await planned(port, [{ message: { ...rename, rule, root } }]))[0]?.work.flatMap(
        (work) => work.deadLettered,
      );

    expect(await deadLettered('voyage-on-bookings')).toEqual([expect.stringMatching(/^root\.invalid: /)]);
    expect(await deadLettered('none')).toEqual([expect.stringMatching(/^rule\.unknown: /)]);
  });

  test.each([
    ['temporarily cannot be read', new TransientError('aws.throttled', 'Too fast')],
    ['denies access', new FatalError('aws.denied', 'No')],
  ])('fails if the table %s', async (_, error) => {
    const port = Object.assign(on(renamed, ...ships), { query: () => Promise.reject(error) });

    await expect(planned(port, [{ message: rename }])).rejects.toBe(error);
  });
});

test('a check reads each root once, and asks for one propagation for all copies that differ', async () => {
  const records = ships.map((after) => ({
    change: {
      ...{ key: keyIn(table, after), before: undefined, after, sequence: 1n, expired: false, at: undefined },
    },
  }));
  const [round] = await planned(on(renamed, ...ships), records);

  expect(round).toMatchObject({ records: 5, checks: 5, costOfChecks: { readUnits: 1 } });
  expect(round?.work.map(({ rule, cause, writes }) => [rule, cause, writes.length])).toEqual([
    ['name-on-crew', 'check', 5],
  ]);
});

test('planned writes are followed from rule to rule, until no rule would write', async () => {
  const brand = { Brand: 'White Star' };
  const after = aFleet({ Brand: 'Cunard' });
  const change = {
    ...{ key: keyIn(table, after), before: aFleet(), after, sequence: 1n, expired: false, at: undefined },
  };
  const rounds = await planned(on(after, aVoyage(brand), aBooking('g', brand)), [{ change }]);

  expect(rounds.map(({ records, work }) => [records, work.map(({ rule }) => rule)])).toEqual([
    [1, ['brand-on-voyages']],
    [1, ['voyage-on-bookings']],
    [1, []],
  ]);
});
