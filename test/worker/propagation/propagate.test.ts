import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import {
  aMembership,
  anIncident,
  anOrder,
  anOrderItem,
  aParticipation,
  aUser,
} from '../../fixtures/world/items.ts';
import { about, keyIn, oneBatch, spent } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const g = keyIn(aParticipation('g'));

test('values of every type are copied exactly, and cost nothing the second time', async () => {
  const odd = {
    Digits: { N: '12345678901234567890123456789012345678' },
    Huge: { N: '1E+100' },
    Bytes: { B: new Uint8Array([0, 255]) },
    Sets: { NS: ['3', '1', '2'] },
    Empty: { S: '' },
    Nested: { L: [{ M: { a: { L: [] } } }, { NULL: true as const }, { BOOL: false }] },
  };
  const worker = workerOver([anIncident(), aParticipation('g')]);
  worker.table.put({ ...anIncident(), ...odd });

  await worker.rest();

  expect(worker.table.read(g)).toEqual({ ...aParticipation('g'), ...odd });
  spent(worker);
  worker.table.put({ ...anIncident(), ...odd, Huge: { N: '1' }, Sets: { NS: ['2', '3', '1.0'] } });
  await oneBatch(worker);
  expect(worker.port.counts.itemsWritten).toBe(1);
  expect(worker.table.history.at(-1)?.before).toMatchObject({ Huge: { N: '1E+100' } });
});

describe('a propagation', () => {
  test('reads nothing but the root if that does not exist and was not removed', async () => {
    const worker = workerOver([aMembership('s')]);

    await propagate(worker.context, about('username-on-memberships', aUser(), { cause: 'repair' }));

    expect([spent(worker), worker.queue.deadLettered]).toEqual([{ get: 1 }, []]);
  });

  test('reports its counts and the time of the change, and no item content', async () => {
    const current = { State: 'CLOSED', OwnerSort: 'CLOSED#100' };
    const worker = workerOver([
      anIncident(),
      aParticipation('f'),
      aParticipation('g', current),
      aParticipation('h', { Kind: 'x' }),
    ]);
    worker.table.put(anIncident({ State: 'CLOSED' }));

    await oneBatch(worker);

    const none = {
      ...{ removed: 0, lost: 0, orphans: 0, foreign: 0, deadLettered: 0, requeued: 0 },
      ...{ narrowed: 0, skipped: 0, absent: 0 },
    };
    expect(worker.telemetry.propagations).toEqual([
      {
        rule: 'incident-on-participations',
        root: keyIn(anIncident()),
        cause: 'changed',
        recheck: false,
        ...{ ...none, written: 2, unchanged: 1, changedAt: 0 },
      },
    ]);
  });

  test.each<[string, readonly Item[], object]>([
    ['foreign items', [anOrder(), anOrderItem({ Kind: 'Arm' })], { foreign: 1, orphans: 0, unchanged: 0 }],
    [
      'copies whose root does not exist',
      [anOrderItem(), anOrderItem({ Sort: 'ITEM#2' })],
      { orphans: 2, foreign: 0 },
    ],
  ])('counts %s', async (_, items, counts) => {
    const worker = workerOver(items);
    const locations = [{ in: 'partition', pk: 'ORDER#t', begins: 'ITEM#' } as const];

    expect(
      await propagate(worker.context, about('date-on-order-items', anOrder(), { locations })),
    ).toMatchObject(counts);
  });
});
