import { describe, expect, test } from 'vitest';
import { secondsOption, shareOption, unitsOption } from '../../../src/cli/options/option-values.ts';

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
