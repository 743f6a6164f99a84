import { expect, test } from 'vitest';
import { RuleRates } from '../../../src/page/server/rule-rates.ts';

test('a rate is of the last minute, whether or not anything comes since; a count is of all', () => {
  let now = 1_000_000;
  const rates = new RuleRates(() => now);
  rates.add('a', { matched: 1 });
  rates.add('a', { written: 3, milliseconds: 40 });
  now += 30_000;
  rates.add('a', { written: 2, deadLettered: 1, milliseconds: 10 });
  const of = () => rates.all()['a'];

  expect(of()).toEqual({ matched: 1, written: 5, deadLettered: 1, writtenLately: 5, slowestMs: 40 });
  now += 40_000;
  expect(of()).toMatchObject({ written: 5, writtenLately: 2, slowestMs: 10 });
  now += 30_000;
  expect(of()).toMatchObject({ written: 5, writtenLately: 0, slowestMs: undefined });
});
