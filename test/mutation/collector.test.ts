import { describe, expect, test } from 'vitest';
import * as collector from './collector.ts';

describe('collected tests', () => {
  test('are named by their place, and played as often as requested', async () => {
    const played: string[] = [];
    const tests = await collector.collect('some.test.ts', async () => {
      collector.describe('a thing', () => {
        collector.test('does this', () => played.push('this'));
        collector.it('does that', { timeout: 1 }, async () => played.push('that'));
      });
      collector.test('stands alone', () => played.push('alone'));
    });

    expect(tests.map(({ name }) => name)).toEqual([
      'some.test.ts > a thing > does this',
      'some.test.ts > a thing > does that',
      'some.test.ts > stands alone',
    ]);
    expect(played).toEqual([]);
    for (const one of [...tests, ...tests]) await one.play();
    expect(played).toEqual(['this', 'that', 'alone', 'this', 'that', 'alone']);
  });

  test('of a table are one for each row, with the values of a list as arguments', async () => {
    const given: unknown[][] = [];
    const tests = await collector.collect('some.test.ts', async () => {
      collector.describe.each(['x', 'y'])('in %s', (location: string) => {
        collector.test.each([
          [1, 2],
          [3, 4],
        ])('%s and %s', (...args: readonly unknown[]) => given.push([location, ...args]));
      });
      collector.test.each([{ name: 'one' }])('$name', (row: unknown) => given.push([row]));
    });

    for (const one of tests) await one.play();

    expect(new Set(tests.map(({ name }) => name)).size).toBe(5);
    expect(given).toEqual([['x', 1, 2], ['x', 3, 4], ['y', 1, 2], ['y', 3, 4], [{ name: 'one' }]]);
  });

  test('are played with their hooks, even if they fail', async () => {
    const played: string[] = [];
    const [one] = await collector.collect('some.test.ts', async () => {
      collector.beforeEach(() => played.push('outer before'));
      collector.afterEach(() => played.push('outer after'));
      collector.describe('a thing', () => {
        collector.beforeEach(async () => played.push('inner before'));
        collector.afterEach(() => played.push('inner after'));
        collector.test('fails', () => {
          collector.onTestFinished(() => played.push('finished'));
          throw new Error('red');
        });
      });
    });

    await expect(one?.play()).rejects.toThrow('red');
    expect(played).toEqual(['outer before', 'inner before', 'finished', 'inner after', 'outer after']);
  });
});
