import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import { list } from '../../../src/model/rules/reducers.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import type { Settings, TablePort } from '../../../src/worker/ports.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { Memory } from '../../../src/worker/propagation/item-memory.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import { justBefore, requestsOf, tableWith } from '../../fixtures/world/table-faults.ts';
import { aContender, aMatch, contenderTotals } from '../../fixtures/world/totals.ts';
import { keyIn, oneBatch, spent } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const partitionOnly: Aggregate = { ...contenderTotals, members: contenderTotals.members.slice(0, 1) };
const a = keyIn(aContender('a'));

function contendersOver(
  items: readonly Item[],
  aggregate: Aggregate = contenderTotals,
  settings: Partial<Settings> = {},
): ModelWorker {
  return workerOver(items, settings, aggregate);
}

/** A contenders of contender `a` alone, that has just played one match. */
function afterMatch(aggregate: Aggregate = partitionOnly, settings: Partial<Settings> = {}): ModelWorker {
  const worker = contendersOver([aContender('a')], aggregate, settings);
  worker.table.put(aMatch('a', 'a'));
  return worker;
}

function matches(worker: ModelWorker, contender = 'a'): string | undefined {
  const total = worker.table.read(keyIn(aContender(contender)))?.['Matches'];
  return total !== undefined && 'N' in total ? total.N : undefined;
}

describe('a computation', () => {
  test.each([
    ['does not exist', undefined],
    ['is of another kind', { ...aContender('a'), Kind: { S: 'Society' } }],
  ])('reports a target that %s', async (_, target) => {
    const worker = contendersOver(target ? [target] : [], partitionOnly);
    worker.table.put(aMatch('a', 'b'));

    expect([...(await oneBatch(worker))]).toEqual([]);
    expect(spent(worker)).not.toHaveProperty('queryPartition');
    const ofTarget = worker.telemetry.propagations.filter(({ root }) => root.pk === a.pk);
    expect(ofTarget).toMatchObject([{ absent: 1, written: 0, deadLettered: 0 }]);
    worker.table.put(aContender('a'));
    await oneBatch(worker);
    expect(worker.telemetry.propagations.at(-1)).toMatchObject({ absent: 0, written: 1 });
  });

  test('reads the target first, and members page by page, strongly consistent', async () => {
    const others = Array.from({ length: 7 }, (_, index) => aMatch('a', `g${index}`));
    const worker = contendersOver([aContender('a'), ...others], contenderTotals, { pageLimit: 3 });
    worker.table.put(aMatch('c', 'a'));
    const requests = requestsOf(worker);

    await oneBatch(worker);

    const query = 'queryPartition';
    const kinds = ['get', 'get', query, query, query, 'queryIndex', 'getMany', 'update'];
    expect(requests.map(({ kind }) => kind)).toEqual(kinds);
    expect(matches(worker)).toBe('8');
  });

  const ended = (at: 0 | 1, last: number): Aggregate => ({
    ...{ ...contenderTotals, reads: { member: ['Rival', 'Referee'], target: [] } },
    computes: { Longest: list('Referee') },
    members: contenderTotals.members.slice(at, at + 1).map((one) => ({ ...one, first: undefined, last })),
  });
  const games = Array.from({ length: 9 }, (_, index) => aMatch('a', `g${index}`, { Referee: `${index}` }));
  const away = games.map((_, index) =>
    aMatch(`h${index}`, 'a', { OwnerSort: `AWAY#${Math.max(5, index)}`, Referee: `${index}` }),
  );
  const notes = games.slice(7).map((game) => ({ ...game, Kind: { S: 'Note' } }));

  test.each<[string, Aggregate, readonly Item[], string[], object]>([
    ['the last one', ended(0, 1), games, ['8'], { queryPartition: 1, itemsRead: 2 }],
    ['two behind others', ended(0, 2), [...games, ...notes], ['6', '5'], { queryPartition: 2, itemsRead: 7 }],
    ['none of many', ended(0, 1), notes, [], { queryPartition: 2, itemsRead: 3 }],
    ['by an index', ended(1, 1), away, ['8'], { queryIndex: 1, getMany: 1, itemsRead: 5 }],
    ['tied', ended(1, 4), away, ['8', '7', '6', '5'], { queryIndex: 2, getMany: 2, itemsRead: 19 }],
  ])('reads no more than it needs at an end: %s', async (_, aggregate, items, referees, reads) => {
    const { table, context, port } = contendersOver([aContender('a'), ...items], aggregate);
    port.counts.itemsRead = 0;
    await propagate(context, { rule: aggregate.name, root: a, cause: 'repair', attempts: 0 });

    expect(table.read(a)?.['Longest']).toEqual(
      referees.length === 0 ? undefined : { L: referees.map((S) => ({ S })) },
    );
    expect(port.counts).toMatchObject({ get: 1, ...reads });
  });

  test('reads a page of an index in full before it knows that it has enough members', async () => {
    const items = games.map((_, index) => ({
      ...aMatch(`h${index}`, 'a', { OwnerSort: `AWAY#${index}`, Referee: `${index}` }),
      ...(index > 6 && { Kind: { S: 'Note' } }),
    }));
    const worker = contendersOver([aContender('a'), ...items], ended(1, 1));
    const getMany: TablePort['getMany'] = (keys, { onUnread } = {}) => {
      onUnread?.(keys.slice(0, -2));
      return worker.port.getMany(keys.slice(-2));
    };
    const context = { ...worker.context, table: tableWith(worker, { getMany }), memory: new Memory() };
    await propagate(context, { rule: contenderTotals.name, root: a, cause: 'repair', attempts: 0 });

    expect(worker.table.read(a)?.['Longest']).toEqual({ L: [{ S: '6' }] });
  });

  test('names the member that is invalid at an end', async () => {
    const worker = contendersOver([aContender('a'), aMatch('a', 'b', { Referee: 5 })], ended(0, 1));
    await propagate(worker.context, { rule: contenderTotals.name, root: a, cause: 'repair', attempts: 0 });

    expect(worker.queue.deadLettered).toMatchObject([
      { reason: expect.stringMatching(/^member \{"Part":"CONTENDER#a","Sort":"MATCH#b"\}: Expected /) },
    ]);
  });

  test('is finished if the time is up only after the last page of its members', async () => {
    const worker = afterMatch();
    justBefore(worker, 'queryPartition', () => {
      worker.outOfTime = true;
    });

    await oneBatch(worker);

    expect([matches(worker), worker.queue.sent]).toEqual(['1', []]);
  });
});

describe('a computation that cannot be done now', () => {
  test.each([
    ['unavailable', 1, []],
    ['refused', 0, ['target.refused']],
  ] as const)('treats a write that is %s', async (answer, requeued, codes) => {
    const worker = afterMatch();
    worker.port.answer = () => answer;

    await oneBatch(worker);

    expect(worker.queue.sent).toHaveLength(requeued);
    expect(worker.queue.deadLettered.map(({ code }) => code)).toEqual(codes);
  });

  test('is left to the queue when the time is up, and between two pages of members', async () => {
    const members = ['b', 'c', 'd'].map((user) => aMatch('a', user));
    const worker = contendersOver([aContender('a'), ...members], partitionOnly, { pageLimit: 2 });
    worker.table.put(aContender('a', { Matches: 0 }));
    worker.outOfTime = true;
    await oneBatch(worker);
    expect(spent(worker)).toEqual({});
    worker.outOfTime = false;
    justBefore(worker, 'queryPartition', () => {
      worker.outOfTime = true;
    });

    await fanOutBatch(worker.context, worker.queue.take());

    expect(worker.queue.sent.at(-1)).toMatchObject({ delaySeconds: 1, message: { attempts: 1 } });
    expect(matches(worker)).toBe('0');
  });
});

describe('a target that cannot be computed', () => {
  const reason = expect.stringMatching(/^Rule contender-totals computes a target from at most 1 members/);
  test('is dead-lettered alone, and computed once its member is correct', async () => {
    const worker = contendersOver([aContender('a'), aContender('z')], partitionOnly);
    worker.table.put(aMatch('a', 'a', { HomePoints: 'two' }));
    worker.table.put(aMatch('z', 'z'));
    await worker.rest();

    const invalid = expect.stringMatching(/^member \{"Part":"CONTENDER#a","Sort":"MATCH#a"\}: Expected /);
    const message = { rule: 'contender-totals', root: a };
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'member.invalid', reason: invalid, message }]);
    expect(matches(worker, 'z')).toBe('1');
    worker.table.put(aMatch('a', 'a'));
    await worker.rest();
    expect(matches(worker)).toBe('1');
  });

  test.each<[string, Aggregate, object]>([
    ['beyond the limit', { ...partitionOnly, limit: 1 }, { code: 'target.too-many-members', reason }],
    [
      'once for a record whose targetsOf fails',
      { ...contenderTotals, targetsOf: () => 'none' as never },
      { code: 'rule.returned', about: { rule: contenderTotals.name } },
    ],
  ])('is dead-lettered %s', async (_, aggregate, deadLetter) => {
    const worker = contendersOver([aContender('a'), aMatch('a', 'b')], aggregate);
    worker.table.put(aMatch('a', 'a'));

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([deadLetter]);
  });
});

test('members that an index may not show yet are looked for once more', async () => {
  const worker = afterMatch(contenderTotals);
  await worker.rest();

  expect(worker.queue.sent).toMatchObject([{ message: { root: a, cause: 'changed', recheck: true } }]);
});
