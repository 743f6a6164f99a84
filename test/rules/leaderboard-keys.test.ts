import { describe, expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import { itemOf } from '../../src/testing/plain-values.ts';
import { ModelWorker } from '../../src/testing/table-model/model-worker.ts';
import { aContender, aHeadToHead } from '../fixtures/application/items.ts';

describe('the leaderboard', () => {
  test('is one query from the end: best first, equal scores by name', async () => {
    const worker = new ModelWorker(config.registry());
    const votes: readonly [string, string, number, number][] = [
      ['bear', 'books', 12, 2],
      ['books', 'c3po', 7, 17],
      ['dots', 'eggs', 0, 0],
      ['eggs', 'fox', 3, 30],
    ];
    for (const name of ['bear', 'books', 'c3po', 'dots', 'eggs', 'fox', 'new'])
      worker.table.put(itemOf(aContender(name)));
    for (const vote of votes) worker.table.put(itemOf(aHeadToHead(...vote)));

    await worker.rest();

    const { entries } = await worker.port.query({ in: 'index', index: 'GSI2', pk: 'LEADERBOARD' }, 100);
    const scores = entries.map(({ key }) => {
      const { Name, Score } = worker.table.read(key) ?? {};
      return `${Name !== undefined && 'S' in Name ? Name.S : ''} ${Score !== undefined && 'N' in Score ? Score.N : ''}`;
    });
    expect(scores.toReversed()).toEqual([
      ...['fox 27', 'bear 10', 'c3po 10', 'new 0', 'dots 0', 'books -20', 'eggs -27'].toSorted(byScore),
    ]);
  });
});

/** Best first; names of one score from Z to A, as a query from the end reads them. */
function byScore(one: string, other: string): number {
  const score = (line: string) => Number(line.split(' ')[1]);
  return score(other) - score(one) || (one < other ? 1 : -1);
}
