import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Result, tableOf, worse } from '../../bench/results.ts';

const measured = z.object({
  results: z.array(
    z.object({ id: z.string(), ratio: z.number().positive(), requests: z.tuple([z.number(), z.number()]) }),
  ),
});

// The benchmark fails by itself if a way does not write the copies that differ, and only those.
test('the benchmark does the work in each way, and counts the requests', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['bench/main.ts', '--rounds', '1', '--seconds', '0.001', '--json'],
    { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '--conditions=stream-denormalizer-source' } },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });

  const { results } = measured.parse(JSON.parse(stdout));
  expect(Object.fromEntries(results.map(({ id, requests }) => [id, requests]))).toMatchObject({
    // Ours: what is paused, a query, the root, and a statement for each copy.
    'cold-propagate': [4, 11],
    // What is paused, as asked once in 20 seconds; a query, the root, and 40 batches of statements.
    copy: [43, 42],
    'copy-usual': [43, 1001],
    'own-code': [0, 42],
  });
}, 300_000);

describe('a ratio', () => {
  const result: Result = {
    id: 'copy',
    title: 'a copy : its requests alone',
    unit: 'µs',
    ours: 13,
    other: 10,
    ratio: 1.3,
    noise: 0.1,
    requests: [42, 42],
  };

  test('is worse if it exceeds what is held by more than its noise', () => {
    expect(worse([{ ...result, noise: 0.2 }], { copy: 1.07 })).toHaveLength(1);
    expect(worse([{ ...result, noise: 0.2 }], { copy: 1.09 })).toEqual([]);
  });

  test('has room for another machine, even without noise', () => {
    expect(worse([{ ...result, noise: 0 }], { copy: 1.14 })).toEqual([]);
    expect(worse([{ ...result, noise: 0 }], { copy: 1.12 })).not.toEqual([]);
  });

  test('of bundles has next to none', () => {
    expect(worse([{ ...result, unit: 'kB', noise: 0 }], { copy: 1.29 })).toHaveLength(1);
  });

  test('must be held', () => {
    expect(() => worse([result], {})).toThrow('Expected a ratio of copy in bench/held.json');
  });

  test('stands in a table of at most 80 columns', () => {
    const lines = tableOf([result], { copy: 1.17 }).split('\n');
    expect(lines.at(-1)).toBe('| a copy : its requests alone, µs |   13 |    10 |  1.30 |   10% | 1.17 |');
    expect(lines.every(({ length }) => length <= 80)).toBe(true);
  });
});
