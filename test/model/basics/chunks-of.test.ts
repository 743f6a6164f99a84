import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchesOf, chunksOf } from '../../../src/model/basics/chunks-of.ts';

const limits = { count: 3, size: 10 };
const batches = (sizes: readonly number[]) => batchesOf(sizes, limits, (size) => size);

describe('batches', () => {
  test.each([
    ['have as many as they may', [1, 1, 1, 1], [[1, 1, 1], [1]]],
    ['are as large as they may be', [5, 5, 1], [[5, 5], [1]]],
    ['have one that is too large alone', [1, 11, 9], [[1], [11], [9]]],
    ['have those without a size as well', [10, 0, 0, 0], [[10, 0, 0], [0]]],
    ['are none of nothing', [], []],
  ])('%s', (_, sizes, expected) => {
    expect(batches(sizes)).toEqual(expected);
  });

  test('lose and reorder nothing, and only one that is too large exceeds a limit', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(15)), (sizes) => {
        const made = batches(sizes);

        expect(made.flat()).toEqual(sizes);
        for (const batch of made) {
          const size = batch.reduce((sum, one) => sum + one, 0);
          expect(batch.length === 1 || (batch.length <= limits.count && size <= limits.size)).toBe(true);
        }
      }),
    );
  });
});

test('chunks are full except for the last', () => {
  expect(chunksOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunksOf([1, 2], 2)).toEqual([[1, 2]]);
});
