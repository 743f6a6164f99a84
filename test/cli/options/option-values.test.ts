import { describe, expect, test } from 'vitest';
import {
  countsOption,
  itemSizeOption,
  secondsOption,
  shareOption,
  unitsOption,
} from '../../../src/cli/options/option-values.ts';

describe('units per second', () => {
  test('are a number above 0, or unlimited', () => {
    expect(['100', '0.5', 'unlimited'].map(unitsOption)).toEqual([100, 0.5, Number.POSITIVE_INFINITY]);
  });

  test.each(['0', '-1', 'many', '', '1e999'])('are not %j', (text) => {
    expect(() => unitsOption(text)).toThrow('Expected units per second, a number above 0 such as 100');
  });
});

describe('a share of the table', () => {
  test('is a percentage', () => {
    expect(['1%', '0.5%', '100%'].map(shareOption)).toEqual([0.01, 0.005, 1]);
  });

  test.each(['0%', '0.5', '101%', '-1%', '%', 'half'])('is not %j', (text) => {
    expect(() => shareOption(text)).toThrow('Expected a share of the table such as 1%');
  });
});

describe('a grace period', () => {
  test('is a number of seconds, which may be 0', () => {
    expect(['0', '2.5'].map(secondsOption)).toEqual([0, 2.5]);
  });

  test.each(['-1', '', '5s'])('is not %j', (text) => {
    expect(() => secondsOption(text)).toThrow('Expected seconds');
  });
});

describe('numbers of copies', () => {
  test('are each taken once, in their order', () => {
    expect(['1', '500,5', '5,5,1'].map(countsOption)).toEqual([[1], [500, 5], [5, 1]]);
  });

  test.each(['', '0', '1,', '1.5', 'many', '1;2'])('are not %j', (text) => {
    expect(() => countsOption(text)).toThrow('Expected whole numbers from 1 up');
  });
});

describe('the size of an item', () => {
  test('is in bytes or KB of 1,024 bytes', () => {
    expect(['700', '700B', '1KB', '2.5 kb', '400KB'].map(itemSizeOption)).toEqual([
      700, 700, 1024, 2560, 409_600,
    ]);
  });

  test.each(['', '0', '401KB', '1MB', '-1', 'KB'])('is not %j', (text) => {
    expect(() => itemSizeOption(text)).toThrow(
      'Expected the size of an item such as 1KB or 700, up to 400KB.',
    );
  });
});
