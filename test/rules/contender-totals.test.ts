import { describe, expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import { itemOf } from '../../src/develop/testing/plain-values.ts';
import { ModelWorker } from '../../src/develop/testing/table-model/model-worker.ts';
import { fanOutBatch } from '../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../src/worker/propagation/propagate-batch.ts';
import { aContender, aHeadToHead } from '../fixtures/rules/votes.ts';

/** The contenders, and records as an application writes them: without index keys. */
function votesOver(records: readonly [string, string, number, number][]): ModelWorker {
  const worker = new ModelWorker(config.registry());
  for (const name of ['bear', 'books', 'c3po']) worker.table.put(itemOf(aContender(name)));
  for (const record of records) {
    const { GSI1PK: _, GSI1SK: __, ...written } = aHeadToHead(...record);
    worker.table.put(itemOf(written));
  }
  return worker;
}

function scores(worker: ModelWorker): Record<string, string | undefined> {
  return Object.fromEntries(
    ['bear', 'books', 'c3po'].map((name) => {
      const score = worker.table.read({ pk: `CONTENDER#${name}`, sk: 'metadata' })?.['Score'];
      return [name, score !== undefined && 'N' in score ? score.N : undefined];
    }),
  );
}

describe('votes', () => {
  test('count for both contenders of a record, whatever the index shows when', async () => {
    const worker = votesOver([
      ['bear', 'books', 12, 2],
      ['books', 'c3po', 7, 5],
    ]);
    worker.table.indexes.lag = 1;

    for (let round = 0; round < 5; round += 1) {
      await propagateBatch(worker.context, worker.stream.take());
      worker.time += 2;
      worker.table.indexes.catchUp();
    }
    await fanOutBatch(worker.context, worker.queue.take());
    await worker.rest();

    expect(scores(worker)).toEqual({ bear: '10', books: '-8', c3po: '-2' });
  });

  test('follow a record that is deleted, and one that changes a contender', async () => {
    const worker = votesOver([
      ['bear', 'books', 12, 2],
      ['books', 'c3po', 7, 5],
    ]);
    await worker.rest();
    worker.table.delete({ pk: 'CONTENDER#bear', sk: 'VS#books' });
    worker.table.update({ pk: 'CONTENDER#books', sk: 'VS#c3po' }, { set: { Contender2: { S: 'bear' } } });

    await worker.rest();

    expect(scores(worker)).toEqual({ bear: '-2', books: '2', c3po: '0' });
  });
});
