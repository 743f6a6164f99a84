import { describe, expect, test } from 'vitest';
import { overlaidTable, type WouldSpend } from '../../../src/explain/dry-run/overlaid-table.ts';
import type { Item, ItemKey } from '../../../src/model/items/item.ts';
import type { GuardedRemoval } from '../../../src/model/work/guarded-write.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';
import { aMembership, anIncident, aParticipation, aUser } from '../../fixtures/world/items.ts';
import { keyed, keyIn } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const participations = { in: 'partition', pk: 'acct_1#incident_a#participations' } as const;
const g = keyIn(aParticipation('g'));
const root = { key: keyIn(anIncident()), expect: 'absent' } as const;

describe('a dry-run table', () => {
  test('reads the real table', async () => {
    const { port } = overlaid([aParticipation('f'), aParticipation('g'), aUser(), aMembership('s')]);

    expect(await port.get(g)).toEqual(keyed(aParticipation('g')));
    expect(await port.get(keyIn(anIncident()))).toBeUndefined();
    expect(await port.query(participations, 1)).toMatchObject({
      entries: [keyed(aParticipation('f'))],
      next: { Part: participations.pk, Sort: 'f' },
    });
    expect((await port.query(participations, 2, { Part: participations.pk, Sort: 'f' })).entries).toEqual([
      keyed(aParticipation('g')),
    ]);
    expect(await port.query({ in: 'index', index: 'ByOwner', pk: 'USER#1' }, 5)).toMatchObject({
      entries: [{ item: { Part: aMembership('s')['Part'], Sort: aMembership('s')['Sort'] } }],
    });
    expect(
      await port.query({ in: 'index', index: 'ByOwner', pk: 'USER#1' }, 5, undefined, true),
    ).toMatchObject({ entries: [keyed(aMembership('s'))], next: undefined });
  });

  test('writes nothing, and shows its would-be updates in every kind of read', async () => {
    const { port, worker } = overlaid([aParticipation('g')]);
    await port.get(g);

    expect(
      await port.update([{ key: g, set: { State: { S: 'CLOSED' } }, remove: ['Note'], expect: {} }]),
    ).toEqual(['written']);

    const written = keyed(aParticipation('g', { State: 'CLOSED', Note: undefined }));
    expect(await port.get(g)).toEqual(written);
    expect(await port.getMany([g])).toEqual([written]);
    expect((await port.query(participations, 5)).entries).toEqual([written]);
    expect(
      (await port.query({ in: 'index', index: 'ByOwner', pk: 'g' }, 5, undefined, true)).entries,
    ).toEqual([written]);
    expect(worker.table.read(g)).toEqual(aParticipation('g'));
  });

  test('shows cleared attributes, and updates after that', async () => {
    const { port } = overlaid([aParticipation('g')]);
    await port.get(g);

    expect(await port.transact(root, [removal({ clear: ['State', 'Lead'] })])).toEqual(['written']);
    expect(await port.get(g)).toEqual(keyed(aParticipation('g', { State: undefined, Lead: undefined })));
    await port.update([{ key: g, set: { State: { S: 'CLOSED' } }, remove: [], expect: {} }]);

    expect(await port.get(g)).toEqual(keyed(aParticipation('g', { State: 'CLOSED', Lead: undefined })));
  });

  test('does not show items that it would delete', async () => {
    const { port, worker } = overlaid([aParticipation('g')]);
    await port.get(g);

    expect(await port.transact(root, [removal({ clear: undefined })])).toEqual(['written']);

    expect(await port.get(g)).toBeUndefined();
    expect(await port.getMany([g])).toEqual([]);
    expect(worker.table.read(g)).toEqual(aParticipation('g'));
  });

  test('reports and shows items that it would create', async () => {
    const { port, spends, worker } = overlaid([aParticipation('f')]);
    const created = aParticipation('g');

    expect(await port.transact(root, [{ key: g, item: created, size: 1 }])).toEqual(['written']);

    expect(spends).toMatchObject([{ does: 'condition' }, { does: 'write', write: { key: g } }]);
    expect(await port.get(g)).toEqual(keyed(created));
    expect(await port.getMany([keyIn(aParticipation('f')), g])).toEqual(
      [aParticipation('f'), created].map(keyed),
    );
    expect(worker.table.read(g)).toBeUndefined();
  });

  test('loses writes to items that are gone, as the table would', async () => {
    const { port, spends } = overlaid([]);

    const updated = await port.update([{ key: g, set: { State: { S: 'CLOSED' } }, remove: [], expect: {} }]);
    const removed = await port.transact(root, [removal({ clear: undefined })]);

    expect([...updated, ...removed]).toEqual(['lost', 'lost']);
    expect(spends.map(({ does }) => does)).toEqual(['condition']);
    expect(await port.get(g)).toBeUndefined();
  });

  test('remembers the last two thousand written items', async () => {
    const users = Array.from({ length: 2001 }, (_, index) => aParticipation(`user-${index}`));
    const { port } = overlaid(users);
    for (const user of users) {
      await port.get(keyIn(user));
      await port.update([{ key: keyIn(user), set: { State: { S: 'CLOSED' } }, remove: [], expect: {} }]);
    }

    const shown = await port.getMany(users.slice(0, 2).map(keyIn));
    expect(shown.map((one) => one.item['State'])).toEqual([{ S: 'OPEN' }, { S: 'CLOSED' }]);
  });
});

describe('what a dry run would spend', () => {
  const closed = { set: { State: { S: 'CLOSED' } }, remove: [], expect: {} };
  const large = anIncident({ Log: 'x'.repeat(2500) });

  test.each([
    ['absent', 2],
    [{}, 6],
  ] as const)('is told of each write, and of the condition %j on the root', async (expected, units) => {
    const { port, spends, reads } = overlaid([large, aParticipation('g')]);
    const creation = { key: keyIn(aParticipation('f')), item: aParticipation('f'), size: 1 };

    await port.get(g);
    await port.update([{ key: g, ...closed }]);
    await port.transact({ ...root, expect: expected }, [removal({ clear: undefined }), creation]);
    await port.update([{ key: creation.key, ...closed }]);

    expect(spends.map(({ does, writeUnits }) => [does, writeUnits.table])).toEqual([
      ['write', 1],
      ['condition', units],
      ['write', 2],
      ['write', 2],
      ['write', 1],
    ]);
    // Nothing is read twice, nor what it is about to create.
    expect(reads).toEqual([[keyIn(large)]]);
  });

  test('is told with the item as it was, whatever an index gave of it', async () => {
    const { port, spends } = overlaid([aMembership('s')]);
    await port.query({ in: 'index', index: 'ByOwner', pk: 'USER#1' }, 5);
    await port.update([{ key: keyIn(aMembership('s')), ...closed }]);

    expect(spends).toMatchObject([{ before: aMembership('s') }]);
  });

  test('is told of no condition where there is none', async () => {
    const { port, spends } = overlaid([]);
    await port.transact({ key: g, expect: 'none' }, [{ key: g, item: aParticipation('g'), size: 1 }]);

    expect(spends.map(({ does }) => does)).toEqual(['write']);
  });

  test('is told of the head of a ledger, to which each transaction adds', async () => {
    const { port, spends } = overlaid([]);
    const head = { key: { pk: 'l', sk: 'head' }, expect: 'head', put: { of: { S: 'x' } } } as const;
    const post = (sk: string) => ({
      key: { pk: 'l', sk },
      item: { Part: { S: sk } },
      size: 1,
      adds: { Sum: '2' },
    });
    await port.transact(head, [post('a'), post('b')]);
    await port.transact(head, [post('c')]);

    const whole = item({ Part: 'l', Sort: 'head', of: 'x', '~posts': 2, Sum: 6 });
    expect(spends.map(({ writeUnits }) => writeUnits.table)).toEqual(Array(5).fill(2));
    expect(spends[3]).toMatchObject({
      write: { key: head.key, set: whole, remove: [], expect: {} },
      after: whole,
    });
    expect((await port.get(head.key))?.item).toEqual(whole);
  });
});

/** A table with these items, what it was asked to write, and which keys it has read many at a time. */
function overlaid(items: readonly Item[]) {
  const spends: WouldSpend[] = [];
  const reads: (readonly ItemKey[])[] = [];
  const worker = workerOver(items);
  worker.port.before = (request) => request.kind === 'getMany' && reads.push(request.keys);
  const port = overlaidTable(worker.port, table, (spend) => spends.push(spend), 2000);
  return { worker, spends, reads, port };
}

function removal(more: Pick<GuardedRemoval, 'clear'>): GuardedRemoval {
  return { key: g, expect: {}, size: 1, ...more };
}
