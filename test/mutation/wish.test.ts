import { describe, expect, test } from 'vitest';
import { readWish } from './wish.ts';

describe('the command line', () => {
  test('requests every mutant, without a time limit, by default', () => {
    expect(readWish([], 2)).toEqual({
      changed: false,
      since: undefined,
      only: '',
      minutes: Number.POSITIVE_INFINITY,
      seeds: 50,
      workers: 2,
    });
  });

  test('requests less than ten minutes with --changed', () => {
    expect(readWish(['--changed'], 2)).toMatchObject({ changed: true, minutes: 9 });
    expect(readWish(['--since', 'HEAD~3'], 2)).toMatchObject({ changed: true, since: 'HEAD~3', minutes: 9 });
    expect(readWish(['--changed', '--minutes', '2'], 2)).toMatchObject({ minutes: 2 });
  });

  test.each([
    [['--seeds', '0'], "Expected --seeds to be a whole number from 1 up, got '0'"],
    [['--workers', 'x'], "Expected --workers to be a whole number from 1 up, got 'x'"],
    [['--minutes', '0'], "Expected --minutes to be a number above 0, got '0'"],
    [['--fast'], 'Expected --changed, --since, --only, --minutes, --seeds and --workers only'],
  ])('%j is refused', (args, why) => {
    expect(readWish(args, 2)).toContain(why);
  });
});
