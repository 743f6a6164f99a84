import { expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import { differences, watchedCopy, watchedRoot } from '../../../../src/worker/propagation/plan/watched.ts';
import { aBooking, aVoyage } from '../../../fixtures/cruises/cruise-items.ts';
import { voyageOnBookings } from '../../../fixtures/cruises/cruise-rules.ts';
import { table } from '../../../fixtures/model/table.ts';

const spellings: [what: string, before: AttributeValue, after: AttributeValue][] = [
  ['a set of text', { SS: ['a', 'b'] }, { SS: ['b', 'a'] }],
  ['a set of numbers', { NS: ['1', '20'] }, { NS: ['2E1', '1.0'] }],
  [
    'a set of bytes',
    { BS: [Uint8Array.of(1), Uint8Array.of(2)] },
    { BS: [Uint8Array.of(2), Uint8Array.of(1)] },
  ],
  ['a number', { N: '100' }, { N: '1.00E2' }],
  ['a list', { L: [{ NS: ['1', '2'] }] }, { L: [{ NS: ['2', '1'] }] }],
  [
    'a map',
    { M: { a: { N: '1' }, b: { SS: ['a', 'b'] } } },
    { M: { b: { SS: ['b', 'a'] }, a: { N: '1.0' } } },
  ],
];

test.each(spellings)('%s in another order or spelling is no difference', (_, before, after) => {
  const [root, copy] = [aVoyage(), aBooking('g')];

  expect([
    ...differences(watchedRoot(table, voyageOnBookings), { ...root, Wind: before }, { ...root, Wind: after }),
    ...differences(watchedCopy(table, voyageOnBookings), { ...copy, Wind: before }, { ...copy, Wind: after }),
  ]).toEqual([]);
});

test('numbers of 38 digits that differ in the last one are a difference, in a set as well', () => {
  const [one, other] = ['12345678901234567890123456789012345678', '12345678901234567890123456789012345679'];
  const before = { ...aVoyage(), Fare: { N: one }, Decks: { NS: [one] } };
  const after = { ...aVoyage(), Fare: { N: other }, Decks: { NS: [other] } };

  expect([...differences(watchedRoot(table, voyageOnBookings), before, after)]).toEqual(['Fare', 'Decks']);
});
