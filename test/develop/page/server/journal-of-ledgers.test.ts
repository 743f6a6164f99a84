import { expect, test } from 'vitest';
import { matchRules } from '../../../../src/cli/page/dev-page.ts';
import { Journal } from '../../../../src/develop/page/server/journal.ts';
import { itemOf } from '../../../../src/develop/testing/plain-values.ts';
import { ModelWorker } from '../../../../src/develop/testing/table-model/model-worker.ts';
import { propagateBatch } from '../../../../src/worker/propagation/propagate-batch.ts';
import { likes } from '../../../simulation/likes-rules.ts';

test('a change of a member is followed by its entry, the head and the target, and by no change of an application', async () => {
  const registry = likes(1);
  const worker = new ModelWorker(registry);
  const journal = new Journal({ registry, match: (one) => matchRules(registry, one), count: async () => 1 });
  const context = { ...worker.context, table: journal.writes.of(worker.port) };
  const run = async () => {
    for (let records = worker.stream.take(1); records.length > 0; records = worker.stream.take(1)) {
      journal.seen(records.flatMap(({ says }) => ('key' in says ? [says] : [])));
      await propagateBatch(context, records);
    }
  };
  const like = (Weight: number) =>
    worker.table.put(itemOf({ PK: 'LIKE#1', SK: 'LIKE', Type: 'Like', Post: 'a', Weight }));

  worker.table.put(itemOf({ PK: 'POST#a', SK: 'POST', Type: 'Post' }));
  await run();
  like(1);
  await run();
  like(2);
  await run();

  expect(journal.since(0).map(({ key, byWorker, arrived }) => ({ pk: key.pk, byWorker, arrived }))).toEqual([
    { pk: 'POST#a', byWorker: false, arrived: 1 },
    { pk: 'LIKE#1', byWorker: false, arrived: 3 },
    { pk: 'LIKE#1', byWorker: false, arrived: 3 },
  ]);
  const copies = journal.detail(3)?.copies.map(({ key: { sk } }) => sk);
  expect(copies).toEqual(['entry#["LIKE#1","LIKE"]', 'head', 'POST']);
});
