import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import type { Aggregate } from '../../../src/model/aggregate.ts';
import { defineRule } from '../../../src/model/define-rule.ts';
import { TransientError } from '../../../src/model/errors.ts';
import type { Item } from '../../../src/model/item.ts';
import { defineKind } from '../../../src/model/kind.ts';
import { count } from '../../../src/model/reducers.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import type { Settings } from '../../../src/worker/ports.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { aClub, aGame, clubTotals, league } from '../../fixtures/league/league.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';

const partitionOnly: Aggregate = { ...clubTotals, members: clubTotals.members.slice(0, 1) };

function leagueOver(
  items: readonly Item[],
  aggregate: Aggregate = clubTotals,
  settings: Partial<Settings> = {},
): ModelWorker {
  return workerOver(items, settings, league(aggregate));
}

function games(worker: ModelWorker, club: string): string | undefined {
  const games = worker.table.read(keyIn(aClub(club)))?.['Games'];
  return games !== undefined && 'N' in games ? games.N : undefined;
}

const a = keyIn(aClub('a'));

describe('a computation', () => {
  test('writes the totals of both targets of a member', async () => {
    const worker = leagueOver([aClub('a'), aClub('b')]);
    worker.table.put(aGame('a', 'b', { HomeGoals: 3 }));

    await worker.rest();

    expect(worker.table.read(a)).toMatchObject(item({ Games: 1, Goals: 3, First: '2026-03-01' }));
    expect(worker.table.read(keyIn(aClub('b')))).toMatchObject(item({ Games: 1, Goals: 1 }));
  });

  test('goes on without an invalid member if the aggregate skips them, and counts them', async () => {
    const worker = leagueOver([aClub('a'), aGame('a', 'b')], { ...partitionOnly, invalid: 'skip' });
    worker.table.put(aGame('a', 'c', { Gate: 'ten' }));
    worker.table.put(aGame('a', 'd', { Gate: 7 }));

    await oneBatch(worker);

    expect(worker.table.read(a)).toMatchObject(item({ Games: 2, Gate: 7 }));
    const ofTarget = worker.telemetry.propagations.filter(({ root }) => root.pk === a.pk);
    expect(ofTarget).toMatchObject([{ written: 1, skipped: 1, deadLettered: 0 }]);
  });

  test('reads the target first, and members page by page, strongly consistent', async () => {
    const others = Array.from({ length: 7 }, (_, index) => aGame('a', `g${index}`));
    const worker = leagueOver([aClub('a'), ...others], clubTotals, { pageLimit: 3 });
    const requests: string[] = [];
    worker.port.before = ({ kind }) => requests.push(kind);
    worker.table.put(aGame('c', 'a'));

    await oneBatch(worker);

    const ofTarget = requests.filter((kind) => kind !== 'get');
    expect(requests.slice(0, 2)).toEqual(['get', 'get']);
    expect(ofTarget).toEqual([
      'queryPartition',
      'queryPartition',
      'queryPartition',
      'queryIndex',
      'getMany',
      'update',
    ]);
    expect(games(worker, 'a')).toBe('8');
  });

  test('takes what an index finds from the table', async () => {
    const worker = leagueOver([aClub('b'), aGame('a', 'b'), aGame('c', 'b')]);
    worker.table.indexes.lag = 60_000;
    worker.table.put(aGame('a', 'b', { Guest: 'x' }));
    worker.table.put(aGame('c', 'b', { GuestGoals: 5 }));

    await oneBatch(worker);

    expect(worker.table.read(keyIn(aClub('b')))).toMatchObject(item({ Games: 1, Goals: 5 }));
  });

  test('is the same however often and in whatever order records are delivered', async () => {
    const worker = leagueOver([aClub('a'), aClub('b')]);
    worker.table.put(aGame('a', 'b'));
    worker.table.put(aGame('a', 'b', { HomeGoals: 4 }));
    worker.table.put(aGame('a', 'c'));
    const records = worker.stream.take();
    for (const record of [...records.toReversed(), ...records])
      await propagateBatch(worker.context, [record]);
    await worker.rest();

    expect(worker.table.read(a)).toMatchObject(item({ Games: 2, Goals: 6 }));
  });

  test('counts a target once for all records of a batch', async () => {
    const worker = leagueOver([aClub('a')], partitionOnly);
    for (const guest of ['b', 'c', 'd']) worker.table.put(aGame('a', guest, { Guest: 'a' }));

    await oneBatch(worker);

    expect(spent(worker)).toMatchObject({ get: 1, queryPartition: 1, update: 1, itemsWritten: 1 });
    expect(worker.telemetry.propagations).toMatchObject([
      { rule: 'club-totals', root: a, cause: 'changed', written: 1 },
    ]);
  });

  test('writes nothing to a target that is right, and counts it', async () => {
    const worker = leagueOver([aGame('a', 'b')], partitionOnly);
    const days = { First: '2026-03-01', Last: '2026-03-01' };
    worker.table.put(aClub('a', { Games: 1, Goals: 2, Gate: 0, ...days }));

    await oneBatch(worker);

    expect(spent(worker)).not.toHaveProperty('update');
    expect(worker.telemetry.propagations).toMatchObject([{ unchanged: 1, written: 0 }]);
  });

  test.each([
    ['once more after a change of a member that an index finds', clubTotals, 1],
    ['only once if no index finds its members', partitionOnly, 0],
  ])('takes place %s', async (_, aggregate, rechecks) => {
    const worker = leagueOver([aClub('a')], aggregate);
    worker.table.put(aGame('a', 'a'));

    await oneBatch(worker);

    expect(worker.queue.sent).toMatchObject(
      Array(rechecks).fill({ message: { root: a, cause: 'changed', recheck: true } }),
    );
  });

  test('of a target that is gone writes nothing, and is acknowledged', async () => {
    const worker = leagueOver([]);
    worker.table.put(aGame('a', 'b'));

    expect(await oneBatch(worker)).toEqual(new Map());
    expect(spent(worker)).toEqual({ get: 2 });
  });

  test('is finished if the time is up only after the last page of its members', async () => {
    const worker = leagueOver([aClub('a')], partitionOnly);
    worker.table.put(aGame('a', 'a'));
    worker.port.before = ({ kind }) => {
      worker.outOfTime = kind === 'queryPartition';
    };

    await oneBatch(worker);

    expect(games(worker, 'a')).toBe('1');
    expect(worker.queue.sent).toEqual([]);
  });

  test('follows a member that is removed, and one that changes its targets', async () => {
    const worker = leagueOver([aClub('a'), aClub('b'), aClub('c'), aGame('a', 'b'), aGame('a', 'c')]);
    worker.table.delete(keyIn(aGame('a', 'c')));
    worker.table.put(aGame('a', 'b', { Guest: 'c', OwnerPart: 'CLUB#c' }));

    await worker.rest();

    expect(['a', 'b', 'c'].map((club) => games(worker, club))).toEqual(['1', '0', '1']);
  });

  test('corrects totals that somebody else wrote', async () => {
    const worker = leagueOver([aClub('a', { Games: 1, Goals: 2, Gate: 0 }), aGame('a', 'b')]);
    worker.table.put(aClub('a', { Games: 99, Longest: 'made up' }));

    await worker.rest();

    expect(worker.table.read(a)).toMatchObject(item({ Games: 1, Goals: 2, Gate: 0 }));
    expect(worker.table.read(a)).not.toHaveProperty('Longest');
    expect(worker.telemetry.propagations[0]).toMatchObject({ cause: 'check', written: 1 });
  });

  test('computes a target that is put after its members', async () => {
    const worker = leagueOver([aGame('a', 'b')]);
    worker.table.put(aClub('a'));

    await worker.rest();

    expect(games(worker, 'a')).toBe('1');
  });

  test('makes no target that is not there, and does not bring one back', async () => {
    const worker = leagueOver([aClub('a')]);
    worker.table.put(aGame('a', 'b'));
    worker.port.before = ({ kind }) => {
      if (kind === 'update') worker.table.delete(a);
    };

    await worker.rest();

    expect(worker.table.items()).toHaveLength(1);
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('checks its own write, so that an older one does not stay', async () => {
    const worker = leagueOver([aClub('a'), aGame('a', 'b')], partitionOnly);
    // A slow computation has read one game. Two more come and go meanwhile, and another writer restores what it read.
    worker.table.put(aGame('a', 'b', { HomeGoals: 9 }));
    const slow = worker.stream.take();
    let once = true;
    worker.port.before = ({ kind }) => {
      if (kind !== 'update' || !once) return;
      once = false;
      worker.table.put(aGame('a', 'c'));
      worker.table.put(aClub('a', { Games: 7 }));
      worker.table.put(aClub('a'));
    };
    await propagateBatch(worker.context, slow);
    expect(games(worker, 'a')).toBe('1');

    await worker.rest();

    expect(games(worker, 'a')).toBe('2');
  });
});

describe('a computation whose condition fails', () => {
  test('begins again with the target, and counts members that came meanwhile', async () => {
    const worker = leagueOver([aClub('a')], partitionOnly);
    worker.table.put(aGame('a', 'b'));
    let writers = 2;
    worker.port.before = ({ kind }) => {
      if (kind !== 'update' || writers === 0) return;
      writers -= 1;
      worker.table.put(aGame('a', `extra-${writers}`));
      worker.table.put(aClub('a', { Games: 50 + writers }));
    };

    await oneBatch(worker);

    expect(games(worker, 'a')).toBe('3');
    expect(worker.telemetry.propagations.find(({ root }) => root.pk === 'CLUB#a')).toMatchObject({
      written: 1,
      lost: 2,
    });
  });

  test('is requeued after four rounds, and dead-lettered if that never ends', async () => {
    const worker = leagueOver([aClub('a')], partitionOnly, { maxAttempts: 2 });
    worker.table.put(aGame('a', 'a'));
    let writes = 0;
    worker.port.before = ({ kind }) => {
      if (kind !== 'update') return;
      writes += 1;
      worker.table.put(aClub('a', { Games: 100 + writes }));
    };

    await oneBatch(worker);
    expect(writes).toBe(4);
    expect(worker.queue.sent).toMatchObject([{ message: { rule: 'club-totals', root: a, attempts: 1 } }]);

    expect(await worker.workOff(60)).toEqual([1, 2]);
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'attempts.exceeded' }]);
  });
});

describe('a computation that cannot be done now', () => {
  test('is requeued until DynamoDB is available', async () => {
    const worker = leagueOver([aClub('a')], partitionOnly);
    worker.table.put(aGame('a', 'a'));
    worker.port.before = () => {
      throw new TransientError('table.throttled', 'busy');
    };

    expect(await oneBatch(worker)).toEqual(new Map());
    worker.port.before = () => {};
    await worker.workOff(60);

    expect(games(worker, 'a')).toBe('1');
    expect(worker.queue.sent[0]).toMatchObject({
      delaySeconds: 1,
      message: { unavailableSince: worker.time - 1000 },
    });
  });

  test.each(['unavailable', 'refused'] as const)('treats a write that is %s', async (answer) => {
    const worker = leagueOver([aClub('a')], partitionOnly);
    worker.table.put(aGame('a', 'a'));
    worker.port.answer = () => answer;

    await oneBatch(worker);

    expect(worker.queue.sent).toHaveLength(answer === 'unavailable' ? 1 : 0);
    expect(worker.queue.deadLettered.map(({ code }) => code)).toEqual(
      answer === 'refused' ? ['target.refused'] : [],
    );
  });

  test('fails its records if the queue refuses too', async () => {
    const worker = leagueOver([aClub('a'), aClub('b')]);
    worker.table.put(aGame('a', 'b'));
    worker.queue.refusing = true;

    const failed = await oneBatch(worker);

    expect(failed.size).toBe(1);
  });

  test('is left to the queue if the time is up when its condition has failed', async () => {
    const worker = leagueOver([aClub('a')], partitionOnly);
    worker.table.put(aGame('a', 'a'));
    worker.port.answer = () => 'lost';
    let updates = 0;
    worker.port.before = ({ kind }) => {
      if (kind === 'update') updates += 1;
    };

    await propagateBatch({ ...worker.context, outOfTime: () => updates > 0 }, worker.stream.take());

    expect(updates).toBe(1);
    expect(worker.queue.sent).toMatchObject([{ message: { attempts: 1 } }]);
  });

  test('is left to the queue when the time is up, and between two pages of members', async () => {
    const worker = leagueOver(
      [aClub('a'), ...['b', 'c', 'd'].map((guest) => aGame('a', guest))],
      partitionOnly,
      { pageLimit: 2 },
    );
    worker.table.put(aClub('a', { Games: 0 }));
    worker.outOfTime = true;
    await oneBatch(worker);
    expect(spent(worker)).toEqual({});
    worker.outOfTime = false;
    worker.port.before = ({ kind }) => {
      worker.outOfTime = kind === 'queryPartition';
    };

    await fanOutBatch(worker.context, worker.queue.take());

    expect(worker.queue.sent.at(-1)).toMatchObject({ delaySeconds: 1, message: { attempts: 1 } });
    expect(games(worker, 'a')).toBe('0');
  });
});

test('an average follows sums of fractions that are exact and longer than a JavaScript number', async () => {
  const rated = defineKind({
    ...{ name: 'Club', type: 'Club', pk: 'CLUB#{club}', sk: 'CLUB' },
    attributes: z.object({
      Sum: z.number().optional(),
      Games: z.number().optional(),
      Average: z.number().optional(),
    }),
  });
  const sums: Aggregate = {
    ...{ ...partitionOnly, on: rated },
    computes: {
      Sum: { from: ({ HomeGoals }: { HomeGoals: number }) => HomeGoals / 3, add: 'sum' },
      Games: count(),
    },
  };
  const average = defineRule({
    ...{
      name: 'average',
      root: rated,
      copy: rated,
      located: { in: 'itself' },
      onDelete: 'keep',
      onExpire: 'keep',
    },
    reads: { root: ['Sum', 'Games'] },
    derive: { Average: ({ root: { Sum = 0, Games = 0 } }) => (Games === 0 ? undefined : Sum / Games) },
  });
  const worker = workerOver([], {}, makeRegistry(table, [average], [], [], [sums]));
  for (const item of [
    aClub('a'),
    ...[1, 1, 1, 30].map((goals, n) => aGame('a', `g${n}`, { HomeGoals: goals })),
  ])
    worker.table.put(item);

  await worker.rest();

  expect(worker.queue.deadLettered).toEqual([]);
  expect(worker.table.read(a)).toMatchObject({ Sum: { N: '10.9999999999999999' }, Average: { N: '2.75' } });
});

describe('a target that cannot be computed', () => {
  test('is dead-lettered with the key of the invalid member, and computed once that is correct', async () => {
    const worker = leagueOver([aClub('a')], partitionOnly);
    worker.table.put(aGame('a', 'a', { HomeGoals: 'two' }));
    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([
      {
        code: 'member.invalid',
        reason: expect.stringMatching(/^member \{"Part":"CLUB#a","Sort":"GAME#a"\}: Expected /),
        message: { rule: 'club-totals', root: a },
      },
    ]);
    worker.table.put(aGame('a', 'a'));
    await worker.rest();

    expect(games(worker, 'a')).toBe('1');
  });

  test('is dead-lettered beyond the limit', async () => {
    const worker = leagueOver([aClub('a'), aGame('a', 'b')], { ...partitionOnly, limit: 1 });
    worker.table.put(aGame('a', 'a'));

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([{ code: 'target.too-many-members' }]);
  });

  test('does not stop the other targets of the batch', async () => {
    const worker = leagueOver([aClub('a'), aClub('z')], partitionOnly);
    worker.table.put(aGame('a', 'a', { HomeGoals: 'two' }));
    worker.table.put(aGame('z', 'z'));

    await worker.rest();

    expect(games(worker, 'z')).toBe('1');
  });

  test('is dead-lettered once for a record whose targetsOf fails', async () => {
    const worker = leagueOver([aClub('a')], { ...clubTotals, targetsOf: () => 'none' as never });
    worker.table.put(aGame('a', 'b'));

    await oneBatch(worker);

    expect(worker.queue.deadLettered).toMatchObject([{ code: 'rule.returned', record: expect.any(String) }]);
  });
});

describe('members that an index does not show yet', () => {
  test('are counted by the recheck', async () => {
    const worker = leagueOver([aClub('b', { Games: 0, Goals: 0, Gate: 0 })]);
    worker.table.indexes.lag = 1;
    worker.table.put(aGame('a', 'b'));
    await oneBatch(worker);
    expect(games(worker, 'b')).toBe('0');
    worker.table.indexes.catchUp();

    expect(await worker.workOff(60)).toEqual([60]);

    expect(games(worker, 'b')).toBe('1');
  });

  test('are rechecked for a change only, and once', async () => {
    const worker = leagueOver([aClub('a')]);
    worker.table.put(aClub('a', { Games: 5 }));
    await worker.rest();
    expect(worker.queue.sent).toEqual([]);

    worker.table.put(aGame('a', 'a'));
    await worker.rest();

    expect(worker.queue.sent.map(({ message }) => message.recheck)).toEqual([true]);
  });
});
