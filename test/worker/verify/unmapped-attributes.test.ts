import { expect, test } from 'vitest';
import type { ItemKey } from '../../../src/model/item.ts';
import type { Rule } from '../../../src/model/rule.ts';
import { unmappedOn } from '../../../src/worker/verify/unmapped-attributes.ts';
import { aBooking, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { brandOnVoyages, cruises, voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { aClub, aGame, clubTotals } from '../../fixtures/league/league.ts';

const [booking, voyage] = [keyIn(aBooking('g')), keyIn(aVoyage())];
const on = (more: Partial<Rule>): Rule[] => [{ ...voyageOnBookings, ...more }];
const named: Rule = { ...voyageOnBookings, name: 'wind-on-bookings', own: ['Wind'] };
const schemasOnly: Rule = { ...brandOnVoyages, copies: [] };
const elsewhere: Rule = { ...brandOnVoyages, own: ['Wind'] };

test('an attribute that an aggregate computes is unmapped on items other than its targets', () => {
  const mapped = { rules: [], aggregates: [clubTotals] };

  expect(unmappedOn(mapped, keyIn(aClub('a')), ['Games', 'Wind'])).toEqual(['Wind']);
  expect(unmappedOn(mapped, keyIn(aGame('a', 'b')), ['Games', 'Wind'])).toEqual(['Games', 'Wind']);
});

test.each<[string, readonly Rule[], ItemKey, string[], string[]]>([
  ['unmapped', cruises().rules, booking, ['State', 'Wind', 'OwnerSort', 'Tide'], ['Wind', 'Tide']],
  ['mapped if a rule copies it', on({ copies: ['Wind'] }), booking, ['Wind', 'Tide'], ['Tide']],
  ['mapped if a rule derives it', on({ derive: { Wind: () => 'N' } }), booking, ['Wind', 'Tide'], ['Tide']],
  ['mapped if read of the root', on({ reads: { root: ['Wind'], copy: [] } }), booking, ['Wind'], []],
  ['mapped if read of the copy', on({ reads: { root: [], copy: ['Wind'] } }), booking, ['Wind'], []],
  ['mapped if it is the copy’s own', on({ own: ['Wind'] }), booking, ['Wind', 'Tide'], ['Tide']],
  ['mapped if one of several rules names it', [voyageOnBookings, named], booking, ['Wind', 'Tide'], ['Tide']],
  ['unmapped by a rule for another kind', [voyageOnBookings, elsewhere], booking, ['Wind'], ['Wind']],
  ['mapped by the rule for its kind', [voyageOnBookings, elsewhere], voyage, ['Wind'], []],
  ['mapped by the schemas alone', [schemasOnly], voyage, ['Brand', 'State', 'Wind'], ['Wind']],
])('an attribute of a copy is %s', (_, rules, copy, attributes, unmapped) => {
  expect(unmappedOn({ rules }, copy, attributes)).toEqual(unmapped);
  expect(unmappedOn({ rules }, copy, [])).toEqual([]);
});
