import { expect, test } from 'vitest';
import {
  addsUp,
  attributesOf,
  count,
  isMean,
  list,
  namedReducers,
  value,
} from '../../../src/model/rules/reducers.ts';

const [two, ten] = [{ N: '2' }, { N: '10' }];

test.each([
  { name: 'count', both: { N: '12' }, none: { N: '0' } },
  { name: 'sum', both: { N: '12' }, none: { N: '0' } },
  { name: 'average', both: { N: '12' }, none: undefined },
  { name: 'min', both: two, none: undefined },
  { name: 'max', both: ten, none: undefined },
] as const)('$name combines two numbers in any order, and says what none leaves', ({ name, both, none }) => {
  const { combine, empty } = namedReducers[name];

  expect([combine(two, ten), combine(ten, two)]).toEqual([both, both]);
  expect(empty).toEqual(none);
});

test('the least and the greatest may be text, but not beside a number', () => {
  const [upper, lower] = [{ S: 'Z' }, { S: 'a' }];

  expect(namedReducers.min.combine(upper, lower)).toBe(upper);
  expect(namedReducers.max.combine(upper, lower)).toBe(lower);
  expect(namedReducers.max.combine(upper, two)).toBeUndefined();
});

test('a value is that of the outer member, and lists are joined in their order', () => {
  const [one, other] = [{ L: [two] }, { L: [ten, ten] }];

  expect(namedReducers.value.combine(two, ten)).toBe(two);
  expect(namedReducers.list.combine(one, other)).toEqual({ L: [two, ten, ten] });
  expect([value('A'), list(['A', 'B']), count()].map(attributesOf)).toEqual([['A'], ['A', 'B'], []]);
});

test('a function of the author adds nothing up, and makes no mean', () => {
  const own = { from: () => 1, add: (one: number, other: number) => one * other };

  expect([addsUp(own), isMean(own)]).toEqual([false, false]);
});
