import { describe, expect, test } from 'vitest';
import type { Item, ItemKey } from '../../../src/model/items/item.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rules/rule.ts';
import {
  classifyCopy,
  type Orphans,
  rootNamed,
  unmappedOn,
} from '../../../src/worker/verify/classify-copy.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { aMembership, anIncident, aParticipation, aUser } from '../../fixtures/world/items.ts';
import {
  incidentOnParticipations,
  teamNameOnIncidents,
  usernameOnMemberships,
  usernameOnMembershipsThat,
  world,
} from '../../fixtures/world/rules.ts';
import { aContender, aMatch, contenderTotals } from '../../fixtures/world/totals.ts';
import { keyed, keyIn } from '../../fixtures/world/worker.ts';

const registry = world();

describe('an orphan', () => {
  test.each<[RemovalPolicy, RemovalPolicy, Orphans, string]>([
    ['delete', 'delete', 'unexplained', 'drift'],
    ['keep', 'delete', 'unexplained', 'kept'],
    ['delete', 'keep', 'unexplained', 'kept'],
    ['keep', 'delete', 'all', 'drift'],
    ['keep', 'keep', 'all', 'kept'],
    ['clear', 'delete', 'unexplained', 'drift'],
  ])('under onDelete %s and onExpire %s, of %s orphans: %s', (onDelete, onExpire, orphans, is) => {
    expect(orphaned(usernameOnMembershipsThat(onDelete, onExpire), aMembership('s'), orphans)).toMatchObject(
      is === 'drift' ? { is, drift: { kind: 'orphan', attributes: [] } } : { is },
    );
  });

  test('is kept after it was cleared', () => {
    expect(
      orphaned(usernameOnMembershipsThat('clear', 'delete'), aMembership('s', { Name: undefined })),
    ).toMatchObject({
      is: 'kept',
    });
  });

  function orphaned(rule: Rule, copy: Item, orphans?: Orphans) {
    return classifyCopy(
      { registry, rule: bound(rule), orphans: orphans ?? 'unexplained' },
      keyed(copy),
      keyIn(aUser()),
      undefined,
    );
  }
});

describe('the root of a copy', () => {
  const unlinking: Rule = { ...usernameOnMemberships, onUnlink: 'delete' };

  test.each<[string, Rule, Item, object]>([
    ['the root that it names', usernameOnMemberships, aMembership('s'), keyIn(aUser())],
    ['the root that it names, whatever onUnlink says', unlinking, aMembership('s'), keyIn(aUser())],
    [
      'none if the rule says so',
      { ...usernameOnMemberships, rootOf: () => undefined },
      aMembership('s'),
      { is: 'rootless' },
    ],
  ])('is %s', (_, rule, copy, expected) => {
    expect(rootNamed(bound(rule), keyed(copy))).toEqual(expected);
  });

  test('is unknown if the copy lacks the attribute that names it', () => {
    const rooted = rootNamed(bound(usernameOnMemberships), keyed(aMembership('s', { UserId: undefined })));

    expect(rooted).toMatchObject({ is: 'drift', drift: { kind: 'invalid', code: 'copy.invalid' } });
    expect('drift' in rooted && rooted.drift).not.toHaveProperty('root');
  });
});

const [participation, incident] = [keyIn(aParticipation('g')), keyIn(anIncident())];
const on = (more: Partial<Rule>): Rule[] => [{ ...incidentOnParticipations, ...more }];
const named: Rule = { ...incidentOnParticipations, name: 'wind-on-participations', own: ['Wind'] };
const schemasOnly: Rule = { ...teamNameOnIncidents, copies: [] };
const elsewhere: Rule = { ...teamNameOnIncidents, own: ['Wind'] };

test('an attribute that an aggregate computes is unmapped on other items', () => {
  const mapped = { rules: [], aggregates: [bound(contenderTotals)] };

  expect(unmappedOn(mapped, keyIn(aContender('a')), ['Matches', 'Wind'])).toEqual(['Wind']);
  expect(unmappedOn(mapped, keyIn(aMatch('a', 'b')), ['Matches', 'Wind'])).toEqual(['Matches', 'Wind']);
});

test.each<[string, readonly Rule[], ItemKey, string[], string[]]>([
  ['unmapped', world().rules, participation, ['State', 'Wind', 'OwnerSort', 'Tide'], ['Wind', 'Tide']],
  ['mapped if a rule copies it', on({ copies: ['Wind'] }), participation, ['Wind', 'Tide'], ['Tide']],
  [
    'mapped if a rule derives it',
    on({ derive: { Wind: () => 'N' } }),
    participation,
    ['Wind', 'Tide'],
    ['Tide'],
  ],
  ['mapped if read of the root', on({ reads: { root: ['Wind'], copy: [] } }), participation, ['Wind'], []],
  ['mapped if read of the copy', on({ reads: { root: [], copy: ['Wind'] } }), participation, ['Wind'], []],
  ['mapped if it is the copy’s own', on({ own: ['Wind'] }), participation, ['Wind', 'Tide'], ['Tide']],
  [
    'mapped if one of several rules names it',
    [incidentOnParticipations, named],
    participation,
    ['Wind', 'Tide'],
    ['Tide'],
  ],
  [
    'unmapped by a rule for another kind',
    [incidentOnParticipations, elsewhere],
    participation,
    ['Wind'],
    ['Wind'],
  ],
  ['mapped by the rule for its kind', [incidentOnParticipations, elsewhere], incident, ['Wind'], []],
  ['mapped by the schemas alone', [schemasOnly], incident, ['TeamName', 'State', 'Wind'], ['Wind']],
])('an attribute of a copy is %s', (_, rules, copy, attributes, unmapped) => {
  const mapped = { rules: rules.map((rule) => bound(rule)) };

  expect(unmappedOn(mapped, copy, attributes)).toEqual(unmapped);
  expect(unmappedOn(mapped, copy, [])).toEqual([]);
});
