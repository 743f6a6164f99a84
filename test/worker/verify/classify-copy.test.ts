import { describe, expect, test } from 'vitest';
import type { Item, ItemKey } from '../../../src/model/items/item.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rules/rule.ts';
import { classifyCopy, type Orphans, rootNamed } from '../../../src/worker/verify/classify-copy.ts';
import { unmappedOn } from '../../../src/worker/verify/unmapped-attributes.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import {
  brandOnVoyages,
  cruises,
  nameOnCrew,
  nameOnCrewThat,
  voyageOnBookings,
} from '../../fixtures/cruises/cruise-rules.ts';
import { keyed, keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { aClub, aGame, clubTotals } from '../../fixtures/league/league.ts';
import { bound } from '../../fixtures/model/bound.ts';

const registry = cruises();

describe('an orphan', () => {
  test.each<[RemovalPolicy, RemovalPolicy, Orphans, string]>([
    ['delete', 'delete', 'unexplained', 'drift'],
    ['keep', 'delete', 'unexplained', 'kept'],
    ['delete', 'keep', 'unexplained', 'kept'],
    ['keep', 'delete', 'all', 'drift'],
    ['keep', 'keep', 'all', 'kept'],
    ['clear', 'delete', 'unexplained', 'drift'],
  ])('under onDelete %s and onExpire %s, of %s orphans: %s', (onDelete, onExpire, orphans, is) => {
    expect(orphaned(nameOnCrewThat(onDelete, onExpire), aCrewing('s'), orphans)).toMatchObject(
      is === 'drift' ? { is, drift: { kind: 'orphan', attributes: [] } } : { is },
    );
  });

  test('is kept after it was cleared', () => {
    expect(orphaned(nameOnCrewThat('clear', 'delete'), aCrewing('s', { Name: undefined }))).toMatchObject({
      is: 'kept',
    });
  });

  function orphaned(rule: Rule, copy: Item, orphans?: Orphans) {
    return classifyCopy(
      { registry, rule: bound(rule), orphans: orphans ?? 'unexplained' },
      keyed(copy),
      keyIn(aSailor()),
      undefined,
    );
  }
});

describe('the root of a copy', () => {
  const unlinking: Rule = { ...nameOnCrew, onUnlink: 'delete' };

  test.each<[string, Rule, Item, object]>([
    ['the root that it names', nameOnCrew, aCrewing('s'), keyIn(aSailor())],
    ['the root that it names, whatever onUnlink says', unlinking, aCrewing('s'), keyIn(aSailor())],
    [
      'none if the rule says so',
      { ...nameOnCrew, rootOf: () => undefined },
      aCrewing('s'),
      { is: 'rootless' },
    ],
  ])('is %s', (_, rule, copy, expected) => {
    expect(rootNamed(bound(rule), keyed(copy))).toEqual(expected);
  });

  test('is unknown if the copy lacks the attribute that names it', () => {
    const rooted = rootNamed(bound(nameOnCrew), keyed(aCrewing('s', { SailorId: undefined })));

    expect(rooted).toMatchObject({ is: 'drift', drift: { kind: 'invalid', code: 'copy.invalid' } });
    expect('drift' in rooted && rooted.drift).not.toHaveProperty('root');
  });
});

const [booking, voyage] = [keyIn(aBooking('g')), keyIn(aVoyage())];
const on = (more: Partial<Rule>): Rule[] => [{ ...voyageOnBookings, ...more }];
const named: Rule = { ...voyageOnBookings, name: 'wind-on-bookings', own: ['Wind'] };
const schemasOnly: Rule = { ...brandOnVoyages, copies: [] };
const elsewhere: Rule = { ...brandOnVoyages, own: ['Wind'] };

test('an attribute that an aggregate computes is unmapped on items other than its targets', () => {
  const mapped = { rules: [], aggregates: [bound(clubTotals)] };

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
  const mapped = { rules: rules.map((rule) => bound(rule)) };

  expect(unmappedOn(mapped, copy, attributes)).toEqual(unmapped);
  expect(unmappedOn(mapped, copy, [])).toEqual([]);
});
