import { describe, expect, test } from 'vitest';
import { PlannedWorker } from '../../../src/cli/explain/planned-worker.ts';
import { roundOf, roundsAfter, templateBatchSize } from '../../../src/cli/explain/rounds.ts';
import { imagesTable } from '../../../src/develop/dev/dry-run/images-table.ts';
import type { Change } from '../../../src/model/change.ts';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import { type Item, keyOf } from '../../../src/model/item.ts';
import type { Message } from '../../../src/model/message.ts';
import { defaultSettings, type TablePort } from '../../../src/worker/ports.ts';
import { settings as stack } from '../../fixtures/application/stack.ts';
import { aBooking, aCrewing, aFleet, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { cruises } from '../../fixtures/cruises/cruise-rules.ts';
import { table } from '../../fixtures/model/table.ts';

const registry = cruises();
const settings = { ...defaultSettings, pageLimit: 2 };

function workerOn(port: TablePort, maxParts = Number.POSITIVE_INFINITY): PlannedWorker {
  return new PlannedWorker({ registry, table: port, settings, maxParts });
}

function on(...items: Item[]): TablePort {
  return imagesTable(table, items);
}

const rename: Message = {
  rule: 'name-on-crew',
  root: { pk: 'SAILOR#1', sk: 'SAILOR' },
  cause: 'changed',
  attempts: 0,
};
const ships = ['p', 'q', 'r', 's', 't'].map((ship) => aCrewing(ship));
const renamed = aSailor({ Name: 'Queequeg' });

describe('a planned propagation', () => {
  test('has its first part at once, the rest through the queue, and the recheck last', async () => {
    const { parts, locations, left } = await workerOn(on(renamed, ...ships)).propagate(rename);

    expect(parts.map(({ by, delaySeconds, report }) => [by, delaySeconds, report.written])).toEqual([
      ['at once', 0, 2],
      ['queue', 0, 2],
      ['queue', 0, 1],
      ['recheck', 60, 0],
      ['recheck', 0, 0],
      ['recheck', 0, 0],
    ]);
    expect(locations).toEqual([{ in: 'index', index: 'ByOwner', pk: 'SAILOR#1', begins: 'SHIP#' }]);
    expect(left).toEqual([]);
  });

  test('is followed as far as requested, and reports what is left', async () => {
    const { parts, left } = await workerOn(on(renamed, ...ships), 1).propagate(rename);

    expect(parts).toHaveLength(1);
    expect(left.map(({ recheck }) => recheck)).toEqual([undefined]);
  });

  test('splits a write that is too large into several, as the worker does', async () => {
    const many = Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`A${index}`, `${index}`]));
    const message: Message = {
      rule: 'voyage-on-bookings',
      root: { pk: 'line_1#voyages', sk: 'voyage_a' },
      cause: 'repair',
      attempts: 0,
    };
    const { parts } = await workerOn(on(aVoyage(many), aBooking('g'))).propagate(message);
    const steps = parts.flatMap((part) => part.steps);
    const writes = steps.flatMap((step) =>
      step.does === 'update' ? [Object.keys(step.update.set).length] : [],
    );

    expect(writes).toEqual([100, 100, 30]);
  });

  test('dead-letters an invalid root, and a message of an unknown rule', async () => {
    const voyage: Message = {
      ...rename,
      rule: 'voyage-on-bookings',
      root: { pk: 'line_1#voyages', sk: 'voyage_a' },
    };
    const worker = workerOn(on(aVoyage({ State: undefined }), aBooking('g')));

    expect((await worker.propagate({ ...voyage, cause: 'repair' })).deadLettered).toMatchObject([
      { code: 'root.invalid' },
    ]);
    expect((await worker.propagate({ ...voyage, rule: 'none' })).deadLettered).toMatchObject([
      { code: 'rule.unknown' },
    ]);
  });

  test.each([
    ['temporarily cannot be read', new TransientError('aws.throttled', 'Too fast')],
    ['denies access', new FatalError('aws.denied', 'No')],
  ])('fails if the table %s', async (_, error) => {
    const port: TablePort = { ...on(renamed, ...ships), query: () => Promise.reject(error) };

    await expect(workerOn(port).propagate(rename)).rejects.toBe(error);
  });

  test('never sends a write to the table', async () => {
    const refuse = () => Promise.reject(new Error('Expected no write'));
    const port: TablePort = { ...on(renamed, ...ships), update: refuse, transact: refuse };

    expect((await workerOn(port).propagate(rename)).parts).toHaveLength(6);
  });
});

test('a check reads each root once, and requests one propagation for all copies that differ', async () => {
  const worker = workerOn(on(renamed, ...ships));
  const rule = registry.rule('name-on-crew');
  const root = rename.root;
  const checks = ships.slice(0, 3).flatMap((image) => {
    const copy = keyOf(table, image);
    return rule && copy ? [{ rule, root, copy, image }] : [];
  });
  const { copies, steps, propagations } = await worker.check(checks);

  expect(copies).toBe(3);
  expect(steps).toEqual([{ does: 'read', key: root, readUnits: 1 }]);
  expect(propagations.map((one) => one.copies.map(({ pk }) => pk))).toEqual([['SHIP#p', 'SHIP#q', 'SHIP#r']]);
});

test('planned writes are followed from rule to rule, until no rule would write', async () => {
  const items = [
    aFleet({ Brand: 'Cunard' }),
    aVoyage({ Brand: 'White Star' }),
    aBooking('g', { Brand: 'White Star' }),
  ];
  const worker = workerOn(on(...items));
  const stage = { registry, worker, archive: undefined };
  const change: Change = {
    key: { pk: 'line_1#fleet', sk: 'fleet' },
    before: aFleet(),
    after: aFleet({ Brand: 'Cunard' }),
    sequence: 1n,
    expired: false,
    at: undefined,
  };
  const first = await roundOf(stage, [change]);
  const after = await roundsAfter(stage, first.propagations);

  expect(first.propagations.map(({ message }) => message.rule)).toEqual(['brand-on-voyages']);
  expect(
    after.map(({ changes, propagations }) => [changes, propagations.map(({ message }) => message.rule)]),
  ).toEqual([
    [1, ['voyage-on-bookings']],
    [1, []],
  ]);
});

test('as many changes arrive together as in the stack', () => {
  expect(templateBatchSize).toBe(stack.Propagate.BatchSize);
});

test('changes that arrive in several batches are checked once in each', async () => {
  const worker = workerOn(on(renamed, ...ships));
  const propagation = await worker.propagate(rename);
  const stage = { registry, worker, archive: undefined };
  const [round] = await roundsAfter(stage, [propagation], 2);

  expect(round?.check?.copies).toBe(5);
  expect(round?.check?.steps).toHaveLength(3);
});
