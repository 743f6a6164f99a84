import { describe, expect, test } from 'vitest';
import type { Rule } from '../../../src/model/rule.ts';
import { unmappedOn } from '../../../src/worker/verify/unmapped-attributes.ts';
import { aBooking, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { brandOnVoyages, cruises, voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';

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
