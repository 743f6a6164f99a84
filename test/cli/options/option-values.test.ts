import { describe, expect, test } from 'vitest';
import {
  countsOption,
  itemSizeOption,
  secondsOption,
  shareOption,
  unitsOption,
} from '../../../src/cli/options/option-values.ts';

type Values = readonly [
  what: string,
  read: (text: string) => unknown,
  valid: Readonly<Record<string, unknown>>,
  invalid: readonly string[],
  says: string,
];

describe.each<Values>([
  [
    'units per second, a number above 0 or unlimited',
    unitsOption,
    { '100': 100, '0.5': 0.5, unlimited: Number.POSITIVE_INFINITY },
    ['0', '-1', 'many', '', '1e999'],
    'Expected units per second, a number above 0 such as 100',
  ],
  [
    'a share of the table, a percentage',
    shareOption,
    { '1%': 0.01, '0.5%': 0.005, '100%': 1 },
    ['0%', '0.5', '101%', '-1%', '%', 'half'],
    'Expected a share of the table such as 1%',
  ],
  [
    'a grace period in seconds, which may be 0',
    secondsOption,
    { '0': 0, '2.5': 2.5 },
    ['-1', '', '5s'],
    'Expected seconds',
  ],
  [
    'numbers of copies, each once, in their order',
    countsOption,
    { '1': [1], '500,5': [500, 5], '5,5,1': [5, 1] },
    ['', '0', '1,', '1.5', 'many', '1;2'],
    'Expected whole numbers from 1 up',
  ],
  [
    'the size of an item in bytes or KB of 1,024 bytes',
    itemSizeOption,
    { '700': 700, '700B': 700, '1KB': 1024, '2.5 kb': 2560, '400KB': 409_600 },
    ['', '0', '401KB', '1MB', '-1', 'KB'],
    'Expected the size of an item such as 1KB or 700, up to 400KB.',
  ],
])('%s', (_, read, valid, invalid, says) => {
  test.each(Object.entries(valid))('%s is %j', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  test.each(invalid)('%j is refused', (text) => {
    expect(() => read(text)).toThrow(says);
  });
});
