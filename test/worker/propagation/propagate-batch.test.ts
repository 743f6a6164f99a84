import { describe, expect, test } from 'vitest';
import { FatalError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import type { TableRequest } from '../../../src/testing/table-model/model-table-port.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import {
  aMembership,
  anIncident,
  anOrder,
  aParticipation,
  aUser,
  aUserOrder,
} from '../../fixtures/world/items.ts';
import { onParticipations } from '../../fixtures/world/rules.ts';
import { refuse, throttle } from '../../fixtures/world/table-faults.ts';
import { changeOf, keyIn, oneBatch, spent } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const g = keyIn(aParticipation('g'));
const hundred = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'));
const participations = hundred.map((user) => aParticipation(user));
const memberships = hundred.map((server) => aMembership(server));
const closed = anIncident({ State: 'CLOSED' });
const renamed = aUser({ Name: 'Johannes' });

/** The requests of one propagation that writes every participation. */
const allCopies = { queryPartition: 1, get: 1, update: 1, itemsRead: 101, itemsWritten: 100 };

describe('the cost', () => {
  test('of 100 copies in a partition is a query, a root read and 100 writes', async () => {
    const worker = workerOver([anIncident(), ...participations]);
    worker.table.put(closed);

    await oneBatch(worker);

    expect(spent(worker)).toEqual(allCopies);
    expect(worker.queue.sent).toEqual([]);
  });

  test('of 100 copies in an index is a query, a batch read, 100 writes, a recheck', async () => {
    const worker = workerOver([aUser(), ...memberships]);
    worker.table.put(renamed);

    await oneBatch(worker);

    const requests = { queryIndex: 1, getMany: 1, get: 1, update: 1 };
    expect(spent(worker)).toEqual({ ...requests, itemsRead: 201, itemsWritten: 100 });
    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 60, message: { recheck: true, cause: 'changed' } },
    ]);
  });

  test('of a root and its copies in one batch is that of the propagation', async () => {
    const worker = workerOver([anIncident(), ...participations]);
    worker.table.put(closed);
    for (const user of hundred.slice(0, 5)) worker.table.put(aParticipation(user, { State: 'MEDDLED' }));

    await oneBatch(worker);

    expect(spent(worker)).toEqual(allCopies);
    expect(worker.telemetry.propagations).toMatchObject([{ cause: 'changed', written: 100, lost: 0 }]);
  });

  test('is nothing if no copied attribute changes and no copy moves', async () => {
    const worker = workerOver([anIncident(), aUser(), ...participations, ...memberships]);
    worker.table.put(aUser({ Rank: 'lead' }));
    worker.table.put(anIncident({ EndsAt: 9, StatePart: 'x', StateSort: 'y' }));
    worker.table.update(keyIn(aParticipation('000')), { set: { Note: { S: 'another' } } });
    worker.table.update(keyIn(aMembership('000')), { set: { Role: { S: 'cook' } } });
    worker.table.delete(keyIn(aMembership('001')));

    expect([...(await oneBatch(worker))]).toEqual([]);

    expect([spent(worker), worker.queue.sent]).toEqual([{}, []]);
  });

  test('of 50 changes of one root in a batch is one propagation of its last state', async () => {
    const worker = workerOver([anIncident(), ...participations]);
    for (let change = 1; change <= 50; change += 1) worker.table.put(anIncident({ Lead: `lead ${change}` }));

    await oneBatch(worker);

    expect(spent(worker)).toEqual(allCopies);
    expect(worker.telemetry.propagations).toHaveLength(1);
    expect(worker.table.read(keyIn(aParticipation('000')))).toMatchObject({ Lead: { S: 'lead 50' } });
  });

  test('of the records of its own 100 writes is one root read', async () => {
    const worker = workerOver([anIncident(), ...participations]);
    worker.table.put(closed);
    await oneBatch(worker);
    spent(worker);

    await oneBatch(worker);

    expect(spent(worker)).toEqual({ getMany: 1, itemsRead: 1 });
    expect(worker.telemetry.checks).toEqual([{ copies: 100, differing: 0, orphans: 0 }]);
    expect(worker.stream.take()).toEqual([]);
  });
});

describe('a copy whose root matches in the same batch', () => {
  test('is still checked if another rule matches', async () => {
    const worker = workerOver(
      [anIncident(), aParticipation('g')],
      {},
      onParticipations('State'),
      onParticipations('Lead'),
    );
    worker.table.put(anIncident({ Lead: 'Erik' }));
    worker.table.update(g, { set: { State: { S: 'MEDDLED' } } });

    await oneBatch(worker);

    expect(worker.table.read(g)).toMatchObject({ State: { S: 'OPEN' }, Lead: { S: 'Erik' } });
  });

  test('is still checked if an index locates it', async () => {
    const worker = workerOver([aUser(), ...memberships.slice(0, 3)]);
    worker.table.put(renamed);
    worker.table.put(aMembership('900', { Name: 'Johanna' }));

    await oneBatch(worker);

    expect(worker.telemetry.propagations.map(({ cause }) => cause).sort()).toEqual(['changed', 'check']);
  });

  test('is checked if no record of its root locates the copies', async () => {
    const worker = workerOver([anOrder({ UserId: undefined })]);
    worker.table.put(anOrder({ UserId: undefined, Total: 1 }));
    worker.table.put(aUserOrder());

    expect([...(await oneBatch(worker))]).toEqual([]);

    expect(worker.telemetry.checks).toMatchObject([{ copies: 1 }]);
  });

  test('is not checked if it is in a location of a root that moves', async () => {
    const worker = workerOver([anOrder()]);
    worker.table.put(anOrder({ UserId: '43' }));
    worker.table.put(aUserOrder({ Part: 'USER#43', Total: 1 }));

    await oneBatch(worker);

    const ofOrder = worker.telemetry.propagations.filter(({ rule }) => rule === 'order-on-user-order');
    expect(ofOrder).toMatchObject([{ cause: 'changed', written: 1 }]);
    expect(worker.telemetry.checks).toEqual([]);
  });
});

describe('a batch', () => {
  test('dead-letters an invalid record, and processes the others', async () => {
    const worker = withTwoRoots(closed);
    const invalid = { id: '7', parsed: { unreadable: 'Expected the keys', record: 'event-7' } };

    expect([...(await propagateBatch(worker.context, [invalid, ...worker.stream.take()]))]).toEqual([]);

    expect(worker.queue.deadLettered).toEqual([
      { code: 'record.unreadable', reason: 'Expected the keys', record: 'event-7' },
    ]);
    expect(worker.table.read(keyIn(aUserOrder()))).toMatchObject({ Total: { N: '1' } });
  });

  test('fails a record alone if a rule fails unexpectedly on it', async () => {
    const worker = withTwoRoots(closed);
    const impossible = {
      get Part(): never {
        throw new TypeError('x');
      },
    };
    const change = changeOf(undefined, impossible, { key: keyIn(anIncident()) });

    const failed = await propagateBatch(worker.context, [
      { id: 'poison', parsed: change },
      ...worker.stream.take().slice(1),
    ]);

    expect([...failed.keys()]).toEqual(['poison']);
    expect(worker.table.read(keyIn(aUserOrder()))).toMatchObject({ Total: { N: '1' } });
  });

  test.each<[TableRequest['kind'], Item]>([
    ['queryPartition', closed],
    ['get', closed],
    ['update', closed],
    ['getMany', aParticipation('g', { State: 'stale' })],
    ['queryIndex', renamed],
    ['remove', anOrder({ UserId: 'x' })],
  ])('fails if the table denies access at %s: nothing is dead-lettered or queued', async (kind, change) => {
    const worker = workerOver([
      anIncident(),
      aParticipation('g'),
      aUser(),
      aMembership('s'),
      anOrder(),
      aUserOrder(),
    ]);
    worker.table.put(change);
    refuse(worker, [kind], new FatalError('aws.denied', 'was denied'));

    await expect(oneBatch(worker)).rejects.toMatchObject({ name: 'FatalError', code: 'aws.denied' });

    expect([worker.queue.deadLettered, worker.queue.sent]).toEqual([[], []]);
  });
});

describe('a queue that refuses', () => {
  const participationsOfTwo = [
    aParticipation('f', { State: 'stale' }),
    aParticipation('g', { State: 'stale' }),
  ];

  test.each<[string, readonly Item[], readonly Item[], TableRequest['kind'] | undefined, number]>([
    ['whose recheck it refused', [aUser(), aMembership('s')], [renamed], undefined, 1],
    [
      'of an item whose propagation it refused',
      [anIncident(), aParticipation('g')],
      [closed, anIncident()],
      'get',
      2,
    ],
    ['of the copies whose check it refused', [anIncident()], participationsOfTwo, 'getMany', 2],
    [
      'of the copies whose propagation it refused after their check',
      [anIncident()],
      participationsOfTwo,
      'update',
      2,
    ],
    [
      'that it could not dead-letter',
      [aParticipation('g')],
      [anIncident({ State: undefined })],
      undefined,
      1,
    ],
  ])('causes another delivery of every record %s', async (_, items, changes, throttled, failed) => {
    const worker = workerOver(items);
    for (const change of changes) worker.table.put(change);
    if (throttled !== undefined) throttle(worker, throttled);
    worker.queue.refusing = true;

    expect((await oneBatch(worker)).size).toBe(failed);
  });

  test('causes another delivery of an invalid record', async () => {
    const worker = workerOver([]);
    worker.queue.refusing = true;
    const invalid = { id: 'r', parsed: { unreadable: 'Expected both images', record: 'r' } };

    expect([...(await propagateBatch(worker.context, [invalid])).keys()]).toEqual(['r']);
  });
});

/** A worker with news of the incident, and then of an order. */
function withTwoRoots(incident: Item): ModelWorker {
  const worker = workerOver([anIncident(), aParticipation('g'), anOrder(), aUserOrder()]);
  worker.table.put(incident);
  worker.table.put(anOrder({ Total: 1 }));
  return worker;
}
