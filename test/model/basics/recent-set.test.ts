import { expect, test } from 'vitest';
import { RecentSet } from '../../../src/model/basics/recent-set.ts';

test('a text is new once, until so many others have come since', () => {
  const recent = new RecentSet(2);

  expect(['a', 'b', 'a', 'c', 'a', 'b'].map((text) => recent.add(text))).toEqual([
    ...[true, true, false],
    ...[true, false, true],
  ]);
});
