import { describe, expect, test } from 'vitest';
import { itemOf } from '../../../src/develop/testing/plain-values.ts';
import { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { jsValue } from '../../../src/model/attribute-value.ts';
import { table } from '../../../src/table.ts';
import { likes } from '../../simulation/likes-rules.ts';

const { pk, sk, type } = table;

const post = (id: string) => itemOf({ [pk]: `POST#${id}`, [sk]: 'POST', [type]: 'Post', Title: 'x' });

const like = (id: number, Post: string | undefined, Weight?: number) =>
  itemOf({ [pk]: `LIKE#${id}`, [sk]: 'LIKE', [type]: 'Like', Post, Weight });

async function workerWith(shards: number, ...items: readonly ReturnType<typeof post>[]) {
  const worker = new ModelWorker(likes(shards));
  for (const one of items) worker.table.put(one);
  await worker.rest();
  return worker;
}

function totals(worker: ModelWorker, id: string) {
  const item = worker.table.read({ pk: `POST#${id}`, sk: 'POST' }) ?? {};
  return ['Likes', 'Weight', 'Mean'].map((name) => item[name] && jsValue(item[name]));
}

describe.each([1, 8])('a ledger of %s shards', (shards) => {
  test('counts, sums and averages its members as they come, change, move and go', async () => {
    const worker = await workerWith(
      shards,
      post('a'),
      post('b'),
      like(1, 'a', 1),
      like(2, 'a', 2.5),
      like(3, 'a'),
    );
    expect(totals(worker, 'a')).toEqual([3, 3.5, 1.75]);

    worker.table.put(like(2, 'b', 2.5));
    worker.table.put(like(1, 'a', 7));
    worker.table.delete({ pk: 'LIKE#3', sk: 'LIKE' });
    await worker.rest();

    expect(totals(worker, 'a')).toEqual([1, 7, 7]);
    expect(totals(worker, 'b')).toEqual([1, 2.5, 2.5]);
    worker.table.put(like(1, undefined));
    await worker.rest();
    expect(totals(worker, 'a')).toEqual([0, 0, undefined]);
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('asks as much for a change of a thousand members as of ten', async () => {
    const requests = async (members: number) => {
      const all = Array.from({ length: members }, (_, id) => like(id, 'a', 1));
      const worker = await workerWith(shards, post('a'), ...all);
      expect(totals(worker, 'a')).toEqual([members, members, 1]);
      const before = requestsOf(worker);
      worker.table.put(like(0, 'a', 5));
      await worker.rest();
      expect(totals(worker, 'a')).toEqual([
        members,
        members + 4,
        Math.round(((members + 4) / members) * 100) / 100,
      ]);
      return requestsOf(worker) - before;
    };

    expect(await requests(1000)).toBe(await requests(10));
  });
});

function requestsOf({ port: { counts } }: ModelWorker): number {
  return counts.get + counts.getMany + counts.queryPartition + counts.update + counts.create + counts.remove;
}
