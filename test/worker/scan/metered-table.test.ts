import { describe, expect, test } from 'vitest';
import { writeUnits } from '../../../src/model/items/capacity.ts';
import type { Item } from '../../../src/model/items/item.ts';
import type { GuardedUpdate } from '../../../src/model/work/guarded-write.ts';
import { Budget } from '../../../src/worker/budget.ts';
import type { TablePort } from '../../../src/worker/ports.ts';
import {
  type Budgets,
  countedScan,
  Interrupted,
  meteredTable,
} from '../../../src/worker/scan/metered-table.ts';
import { table } from '../../fixtures/model/table.ts';
import { aMembership, anIncident, aParticipation } from '../../fixtures/world/items.ts';
import { incidentOnParticipations } from '../../fixtures/world/rules.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

interface Limits extends Pick<Budgets, 'stop' | 'stops'> {
  /** Units a second. Default: unlimited. */
  readonly rcu?: number;
  readonly wcu?: number;
  /** What the table says of its requests. Default: everything. */
  readonly decorated?: (port: TablePort) => TablePort;
}

/** A metered table with these items, and how long it has waited. */
function metered(items: readonly Item[], { rcu, wcu, decorated = (port) => port, ...stops }: Limits = {}) {
  const search = new WorldSearch(items);
  const { clock } = search;
  const reads = new Budget(rcu ?? Number.POSITIVE_INFINITY, clock);
  const writes = new Budget(wcu ?? Number.POSITIVE_INFINITY, clock);
  const began = clock.now();
  const { port, spent } = meteredTable(decorated(search.port), { reads, writes, ...stops });
  return { ...{ search, reads, writes, port, spent }, seconds: () => (clock.now() - began) / 1000 };
}

const participations = { in: 'partition', pk: 'acct_1#incident_a#participations' } as const;
const memberships = { in: 'index', index: 'ByOwner', pk: 'USER#1' } as const;
const g = keyIn(aParticipation('g'));
const root = { key: keyIn(anIncident()), expect: 'absent' } as const;

/** Participations of about so many bytes. */
function users(count: number, bytes = 0) {
  return Array.from({ length: count }, (_, index) =>
    aParticipation(`user ${index}`, { Note: 'x'.repeat(bytes) }),
  );
}

function updateOf(key: GuardedUpdate['key'], expected: Item = {}): GuardedUpdate {
  return { key, set: { Lead: { S: 'Erik' } }, remove: [], expect: expected };
}

/** A backfill over so many wrong participations of about so many bytes, within budgets, and what it took. */
async function backfilled(copies: number, bytes: number, limits: { rcu: number; wcu: number }) {
  const Lead = 'x'.repeat(bytes);
  const items = Array.from({ length: copies / 5 }, (_, n) => [
    anIncident({ Sort: `incident_${n}`, Lead }),
    ...['a', 'b', 'c', 'd', 'e'].map((user) =>
      aParticipation(user, { Part: `acct_1#incident_${n}#participations`, Lead: `${Lead}, as it was` }),
    ),
  ]).flat();
  const { search, port, spent, seconds, reads } = metered(items, limits);
  const propagations = search.propagations({ table: port, concurrency: 16 });
  const scan = countedScan(search.scan, spent);
  const outcome = await search.backfill(incidentOnParticipations, {
    propagations,
    scan,
    budget: reads,
    concurrency: 4,
  });
  // Priced anew from what the model's history says was written.
  const written = search.table.history
    .filter(({ by }) => by === 'worker')
    .map(({ before, after }) => writeUnits(table, before, after).total);
  const units = { rcu: spent.readUnits, wcu: written.reduce((a, b) => a + b, 0) };
  return { outcome, spent, seconds: seconds(), units };
}

describe.each(['rcu', 'wcu'] as const)('a budget whose %s take the time', (limited) => {
  test.each([
    [300, 100, 10],
    [300, 3_000, 25],
    [150, 30_000, 100],
  ])('is kept to within a tenth: %i copies of %i bytes at %i units', async (copies, bytes, limit) => {
    const limits = { rcu: 100_000, wcu: 100_000, [limited]: limit };
    const { outcome, seconds, units, spent } = await backfilled(copies, bytes, limits);

    expect(outcome.written).toBe(copies);
    expect(units[limited] / seconds).toBeLessThanOrEqual(limit * 1.1);
    expect(units[limited] / seconds).toBeGreaterThanOrEqual(limit * 0.9);
    expect(spent).toMatchObject({ writeUnits: units.wcu, writes: copies });
  });
});

test.each<[string, (port: TablePort) => Promise<unknown>, object]>([
  ['an item', (port) => port.get(g), { readUnits: 2 }],
  ['items, and those that are missing', (port) => port.getMany([g, root.key]), { readUnits: 3 }],
  ['a page of a partition', (port) => port.query(participations, 10), { readUnits: 2 }],
  ['a page of an index, whose entries are whole', (port) => port.query(memberships, 10), { readUnits: 1 }],
  ['an update', (port) => port.update([updateOf(g)]), { writeUnits: 10, writes: 1 }],
  ['a lost update', (port) => port.update([updateOf(g, { State: { S: 'odd' } })]), { writeUnits: 5 }],
  [
    'a removal, with the condition on the root',
    (port) => port.transact(root, [{ key: g, clear: undefined, expect: {}, size: 1 }]),
    { writeUnits: 2 + 10 + 5, writes: 1 },
  ],
])('counts what the table says that it costs, and corrects the estimate: %s', async (_, ask, spending) => {
  const items = [
    aParticipation('g', { Note: 'x'.repeat(5000) }),
    aMembership('s', { Role: 'x'.repeat(5000) }),
  ];
  const { port, spent, reads, writes } = metered(items);

  await ask(port);

  expect(spent).toEqual({ readUnits: 0, writeUnits: 0, writes: 0, ...spending });
  expect({ readUnits: reads.taken, writeUnits: writes.taken }).toMatchObject(
    Object.fromEntries(Object.entries(spending).filter(([name]) => name !== 'writes')),
  );
});

test('charges what it estimated for a request whose cost the table does not say', async () => {
  const { port, spent } = metered(users(3), {
    decorated: (inner) => ({
      ...inner,
      get: (key) => inner.get(key),
      getMany: (keys) => inner.getMany(keys),
      query: async (...asked) => ({ ...(await inner.query(...asked)), units: undefined }),
      update: (updates) => inner.update(updates),
    }),
  });

  await port.getMany(users(3).map(keyIn));
  await port.update(users(2).map((user) => updateOf(keyIn(user))));

  await port.query(participations, 10);

  // An item of one read unit has four write units at most.
  expect(spent).toEqual({ readUnits: 3 + 1, writeUnits: 8, writes: 2 });
});

test.each<[string, number, number | undefined, number]>([
  ['a quarter of a second’s worth of items', 30, 40, 3],
  ['at least one item', 3, 1, 3],
  ['at most a hundred items', 250, 1_000_000, 3],
  ['all items if it is unlimited', 250, undefined, 1],
])('a read of many requests %s at once', async (_, count, rcu, requests) => {
  const { port, search } = metered(users(count), rcu === undefined ? {} : { rcu });
  await port.getMany(users(count).map(keyIn));

  expect(search.port.counts.getMany).toBe(requests);
});

describe('a request waits beforehand', () => {
  test.each([
    [5, 1],
    [10, 2],
  ])('for the total of %d large items by what one cost before, in %d requests', async (count, requests) => {
    const large = [aParticipation('g', { Note: 'x'.repeat(7900) }), ...users(count, 7900)];
    const { port, search, seconds } = metered(large, { rcu: 40 });
    await port.get(g);

    await port.getMany(users(count).map(keyIn));

    // Two units each, those of the first read as well.
    expect(seconds()).toBe((2 * (1 + count)) / 40);
    expect(search.port.counts.getMany).toBe(requests);
  });

  test('for the average total of pages, in which the last one has a weight of a quarter', async () => {
    const { port, search, seconds } = metered(users(3, 3000), { rcu: 1 });

    await port.query(participations, 10);
    expect(seconds()).toBe(1);
    for (const user of users(3)) search.table.put(user);
    await port.query(participations, 10);
    await port.query(participations, 10);

    // The first was three units, and the second was thought to be: one of the two that it returned was saved for a second.
    expect(seconds()).toBe(3 + 3 - 1 + 2.5);
  });

  test.each([
    ['one of which nothing is known costs a unit', false, [8, 1], [4, 4, 1]],
    ['as large as what was read', true, [2, 2, 2, 2, 1], [4, 4, 1]],
  ])(
    'for updates of a quarter of a second, %s, then for what others cost',
    async (_, isRead, ...expected) => {
      const items = users(9);
      const { port, search } = metered(items, { wcu: 32 });
      if (isRead) await port.getMany(items.map(keyIn));
      let written: number[] = [];
      search.port.before = (request) => {
        if (request.kind === 'update') written.push(request.updates.length);
      };

      for (const requests of expected) {
        written = [];
        await port.update(
          items.map((item) => ({ ...updateOf(keyIn(item)), set: { Lead: { S: `${requests}` } } })),
        );
        // One unit for the item and one for its entry in the index.
        expect(written).toEqual(requests);
      }
    },
  );

  test('for a transaction that is as dear as its items are large', async () => {
    const [one, two] = users(2, 5000).map(keyIn);
    const { port, spent, seconds } = metered(users(2, 5000), { wcu: 1 });
    if (one === undefined || two === undefined) throw new Error('Expected two keys');
    await port.get(one);
    const removal = { clear: undefined, expect: {}, size: 1 };

    await port.transact(root, [{ key: one, ...removal }]);
    expect(seconds()).toBe(2 * 4);
    const first = spent.writeUnits;
    await port.transact(root, [{ key: two, ...removal }]);

    expect(seconds()).toBe(2 * first);
    expect(spent).toMatchObject({ writeUnits: 2 * first, writes: 2 });
  });
});

test('updates have their outcomes in their order, however they are split', async () => {
  const items = users(40);
  const { port, search } = metered(items, { wcu: 20 });
  await port.getMany(items.map(keyIn));

  const outcomes = await port.update(
    items.map((item, n) => updateOf(keyIn(item), n % 3 === 0 ? { Lead: { S: 'nobody' } } : {})),
  );

  expect(outcomes).toEqual(items.map((_, n) => (n % 3 === 0 ? 'lost' : 'written')));
  expect(search.port.counts.update).toBeGreaterThan(5);
});

describe('a metered table that is asked to stop', () => {
  test('stops a read of many between two requests', async () => {
    let asked = 0;
    const stop = () => {
      asked += 1;
      return asked === 2;
    };
    const { port, search } = metered(users(2), { rcu: 1, stop });

    await expect(port.getMany(users(2).map(keyIn))).rejects.toMatchObject({
      code: 'work.interrupted',
      name: 'Interrupted',
    });
    expect(search.port.counts.getMany).toBe(1);
  });

  test.each<[string, (port: TablePort) => Promise<unknown>]>([
    ['an item', (port) => port.get(g)],
    ['items', (port) => port.getMany([g])],
    ['a partition', (port) => port.query(participations, 10)],
    ['an index', (port) => port.query(memberships, 10)],
  ])('does not read %s if it stops every read, not even after it has waited', async (_, read) => {
    let stopped = false;
    const { port, search, reads, seconds } = metered([aParticipation('g'), aMembership('s')], {
      ...{ rcu: 1, stop: () => stopped, stops: 'every' },
    });

    expect(await read(port)).toEqual(await read(search.port));
    const { taken } = reads;
    const waiting = read(port);
    stopped = true;
    await expect(waiting).rejects.toBeInstanceOf(Interrupted);
    const waited = seconds();
    const stoppedReads = await Promise.allSettled([1, 2, 3].map(() => read(port)));
    expect(stoppedReads.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    expect(seconds()).toBe(waited);
    expect(reads.taken).toBe(taken);
  });

  test('still updates and removes', async () => {
    const { port, search } = metered(users(2), { stop: () => true, stops: 'every' });
    const [updated = g, removed = g] = users(2).map(keyIn);

    await port.update([updateOf(updated)]);
    await port.transact(root, [{ key: removed, clear: undefined, expect: {}, size: 1 }]);

    expect(search.table.items()).toEqual([aParticipation('user 0', { Note: '', Lead: 'Erik' })]);
  });
});
