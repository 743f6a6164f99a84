import { describe, expect, test } from 'vitest';
import { protectUnmapped, unmappedOn } from '../../src/drift/unmapped-attributes.ts';
import type { Rule } from '../../src/model/rule.ts';
import { aBooking, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import { brandOnVoyages, cruises, voyageOnBookings } from '../fixtures/cruises/cruise-rules.ts';
import { keyIn, workerOver } from '../fixtures/cruises/cruise-worker.ts';

const booking = keyIn(aBooking('g'));

describe('an attribute of a copy', () => {
  test('is unmapped if no schema and no field of a rule names it', () => {
    expect(unmappedOn(cruises(), booking, ['State', 'Wind', 'OwnerSort', 'Tide'])).toEqual(['Wind', 'Tide']);
    expect(unmappedOn(cruises(), booking, [])).toEqual([]);
  });

  test.each<[string, Partial<Rule>]>([
    ['copied', { copies: ['Wind'] }],
    ['derived', { derive: { Wind: () => 'N' } }],
    ['read of the root', { reads: { root: ['Wind'], copy: [] } }],
    ['read of the copy', { reads: { root: [], copy: ['Wind'] } }],
    ['the copy’s own', { own: ['Wind'] }],
  ])('is named where it is %s', (_, more) => {
    const rules = [{ ...voyageOnBookings, ...more }];

    expect(unmappedOn({ rules }, booking, ['Wind', 'Tide'])).toEqual(['Tide']);
  });

  test('is mapped if one of several rules for that kind of copy names it', () => {
    const other: Rule = { ...voyageOnBookings, name: 'wind-on-bookings', own: ['Wind'] };

    expect(unmappedOn({ rules: [voyageOnBookings, other] }, booking, ['Wind', 'Tide'])).toEqual(['Tide']);
  });

  test('is not mapped by a rule for another kind of copy', () => {
    const rules: readonly Rule[] = [voyageOnBookings, { ...brandOnVoyages, own: ['Wind'] }];

    expect(unmappedOn({ rules }, booking, ['Wind'])).toEqual(['Wind']);
    expect(unmappedOn({ rules }, keyIn(aVoyage()), ['Wind'])).toEqual([]);
  });

  test('is mapped by the schema of the root alone, and of the copy alone', () => {
    const withoutCopies: Rule = { ...brandOnVoyages, copies: [] };

    expect(unmappedOn({ rules: [withoutCopies] }, keyIn(aVoyage()), ['Brand', 'State', 'Wind'])).toEqual([
      'Wind',
    ]);
  });
});

const named = aBooking('ann');
const unmapped = aBooking('bob', { Notes: 'vegetarian' });

test('a protected table refuses exactly the writes that would remove unmapped attributes', async () => {
  const { table, port, kept } = keeping();

  const outcomes = await port.update([
    { key: keyIn(unmapped), set: {}, remove: ['Notes'], expect: {} },
    { key: keyIn(named), set: {}, remove: ['State'], expect: {} },
  ]);

  expect(outcomes).toEqual(['refused', 'written']);
  expect([...kept.values()]).toEqual([keyIn(unmapped)]);
  expect(table.read(keyIn(unmapped))).toEqual(unmapped);
  expect(table.read(keyIn(named))).not.toHaveProperty('State');
});

test('a protected table removes whole copies', async () => {
  const { table, port } = keeping();

  const outcomes = await port.remove({ key: keyIn(aVoyage()), expect: 'absent' }, [
    { key: keyIn(unmapped), clear: undefined, expect: {}, size: 100 },
  ]);

  expect(outcomes).toEqual(['written']);
  expect(table.read(keyIn(unmapped))).toBeUndefined();
});

function keeping() {
  const { table, port, context } = workerOver([named, unmapped]);
  return { table, ...protectUnmapped(port, context.registry) };
}
