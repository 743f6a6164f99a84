import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import type { Settings } from '../../../src/worker/ports.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { justBefore, requestsOf } from '../../fixtures/cruises/table-faults.ts';
import { aClub, aGame, clubTotals, league } from '../../fixtures/league/league.ts';
import { item } from '../../fixtures/model/items.ts';

const partitionOnly: Aggregate = { ...clubTotals, members: clubTotals.members.slice(0, 1) };
const a = keyIn(aClub('a'));

function leagueOver(
  items: readonly Item[],
  aggregate: Aggregate = clubTotals,
  settings: Partial<Settings> = {},
): ModelWorker {
  return workerOver(items, settings, league(aggregate));
}

/** A league of club `a` alone, that has just played one game. */
function afterGame(aggregate: Aggregate = partitionOnly, settings: Partial<Settings> = {}): ModelWorker {
  const worker = leagueOver([aClub('a')], aggregate, settings);
  worker.table.put(aGame('a', 'a'));
  return worker;
}

function games(worker: ModelWorker, club = 'a'): string | undefined {
  const total = worker.table.read(keyIn(aClub(club)))?.['Games'];
  return total !== undefined && 'N' in total ? total.N : undefined;
}

describe('a computation', () => {
  test('goes on without an invalid member if the aggregate skips them, and counts them', async () => {
    const worker = leagueOver([aClub('a'), aGame('a', 'b')], { ...partitionOnly, invalid: 'skip' });
    worker.table.put(aGame('a', 'c', { Gate: 'ten' }));
    worker.table.put(aGame('a', 'd', { Gate: 7 }));

    await oneBatch(worker);

    expect(worker.table.read(a)).toMatchObject(item({ Games: 2, Gate: 7 }));
    const ofTarget = worker.telemetry.propagations.filter(({ root }) => root.pk === a.pk);
    expect(ofTarget).toMatchObject([{ written: 1, skipped: 1, deadLettered: 0 }]);
  });

  test.each([
    ['does not exist', undefined],
    ['is of another kind', { ...aClub('a'), Kind: { S: 'Society' } }],
  ])('reports a target that %s', async (_, target) => {
    const worker = leagueOver(target ? [target] : [], partitionOnly);
    worker.table.put(aGame('a', 'b'));
    await oneBatch(worker);

    const ofTarget = worker.telemetry.propagations.filter(({ root }) => root.pk === a.pk);
    expect(ofTarget).toMatchObject([{ absent: 1, written: 0, deadLettered: 0 }]);
    worker.table.put(aClub('a'));
    await oneBatch(worker);
    expect(worker.telemetry.propagations.at(-1)).toMatchObject({ absent: 0, written: 1 });
  });

  test('reads the target first, and members page by page, strongly consistent', async () => {
    const others = Array.from({ length: 7 }, (_, index) => aGame('a', `g${index}`));
    const worker = leagueOver([aClub('a'), ...others], clubTotals, { pageLimit: 3 });
    worker.table.put(aGame('c', 'a'));
    const requests = requestsOf(worker);

    await oneBatch(worker);

    const query = 'queryPartition';
    const kinds = ['get', 'get', query, query, query, 'queryIndex', 'getMany', 'update'];
    expect(requests.map(({ kind }) => kind)).toEqual(kinds);
    expect(games(worker)).toBe('8');
  });

  test('of a target that is not there does nothing, and nothing fails', async () => {
    const worker = leagueOver([]);
    worker.table.put(aGame('a', 'a'));

    expect([...(await oneBatch(worker))]).toEqual([]);
    expect(spent(worker)).toEqual({ get: 1 });
    expect(worker.telemetry.propagations).toMatchObject([{ written: 0, deadLettered: 0 }]);
  });

  test('is finished if the time is up only after the last page of its members', async () => {
    const worker = afterGame();
    justBefore(worker, 'queryPartition', () => {
      worker.outOfTime = true;
    });

    await oneBatch(worker);

    expect([games(worker), worker.queue.sent]).toEqual(['1', []]);
  });
});

describe('a computation that cannot be done now', () => {
  test.each([
    ['unavailable', 1, []],
    ['refused', 0, ['target.refused']],
  ] as const)('treats a write that is %s', async (answer, requeued, codes) => {
    const worker = afterGame();
    worker.port.answer = () => answer;

    await oneBatch(worker);

    expect(worker.queue.sent).toHaveLength(requeued);
    expect(worker.queue.deadLettered.map(({ code }) => code)).toEqual(codes);
  });

  test('is left to the queue when the time is up, and between two pages of members', async () => {
    const members = ['b', 'c', 'd'].map((guest) => aGame('a', guest));
    const worker = leagueOver([aClub('a'), ...members], partitionOnly, { pageLimit: 2 });
    worker.table.put(aClub('a', { Games: 0 }));
    worker.outOfTime = true;
    await oneBatch(worker);
    expect(spent(worker)).toEqual({});
    worker.outOfTime = false;
    justBefore(worker, 'queryPartition', () => {
      worker.outOfTime = true;
    });

    await fanOutBatch(worker.context, worker.queue.take());

    expect(worker.queue.sent.at(-1)).toMatchObject({ delaySeconds: 1, message: { attempts: 1 } });
    expect(games(worker)).toBe('0');
  });
});

describe('a target that cannot be computed', () => {
  const reason = expect.stringMatching(/^Rule club-totals computes a target from at most 1 members/);
  test('is dead-lettered with the key of the invalid member, alone, and computed once that is correct', async () => {
    const worker = leagueOver([aClub('a'), aClub('z')], partitionOnly);
    worker.table.put(aGame('a', 'a', { HomeGoals: 'two' }));
    worker.table.put(aGame('z', 'z'));
    await worker.rest();

    const invalid = expect.stringMatching(/^member \{"Part":"CLUB#a","Sort":"GAME#a"\}: Expected /);
    const message = { rule: 'club-totals', root: a };
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'member.invalid', reason: invalid, message }]);
    expect(games(worker, 'z')).toBe('1');
    worker.table.put(aGame('a', 'a'));
    await worker.rest();
    expect(games(worker)).toBe('1');
  });

  test.each<[string, Aggregate, object]>([
    ['beyond the limit', { ...partitionOnly, limit: 1 }, { code: 'target.too-many-members', reason }],
    [
      'once for a record whose targetsOf fails',
      { ...clubTotals, targetsOf: () => 'none' as never },
      { code: 'rule.returned', about: { rule: clubTotals.name } },
    ],
  ])('is dead-lettered %s', async (_, aggregate, deadLetter) => {
    const worker = leagueOver([aClub('a'), aGame('a', 'b')], aggregate);
    worker.table.put(aGame('a', 'a'));

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([deadLetter]);
  });
});

describe('members that an index does not show yet', () => {
  test.each<[string, Aggregate, Item, readonly object[]]>([
    ['once after a change', clubTotals, aGame('a', 'a'), [{ root: a, cause: 'changed', recheck: true }]],
    ['not if no index finds members', partitionOnly, aGame('a', 'a'), []],
    ['not after a check', clubTotals, aClub('a', { Games: 5 }), []],
  ])('are rechecked %s', async (_, aggregate, change, messages) => {
    const worker = leagueOver([aClub('a')], aggregate);
    worker.table.put(change);

    await worker.rest();

    expect(worker.queue.sent.map(({ message }) => message)).toMatchObject(messages);
  });
});
