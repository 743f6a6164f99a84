import { describe, expect, test } from 'vitest';
import { guardOfCopy } from '../../src/plan/guard.ts';
import { bound } from '../fixtures/model/bound.ts';
import { item } from '../fixtures/model/items.ts';
import { aMembership, aParticipation } from '../fixtures/world/items.ts';
import { incidentOnParticipations, usernameOnMemberships } from '../fixtures/world/rules.ts';

// The rule writes four attributes of aParticipation: State, CreatedAt, Lead and OwnerSort.
const own = 4;

describe('a guard', () => {
  test('compares at most 120 attributes', () => {
    const most = guardOfCopy(bound(incidentOnParticipations), wide(120 - own), new Set(), ['State']);
    const more = guardOfCopy(bound(incidentOnParticipations), wide(121 - own), new Set(), ['State']);

    expect(most.narrowed).toBe(false);
    expect(Object.keys(most.expect)).toHaveLength(120);
    expect(more.narrowed).toBe(true);
    expect(more.expect).toEqual({ State: { S: 'OPEN' } });
  });

  test('has at most 2,500 bytes of attribute names', () => {
    const named = (bytes: number) => item({ ...plain(), ['§'.repeat(100)]: 1, ['x'.repeat(bytes - 200)]: 1 });

    expect(guardOfCopy(bound(incidentOnParticipations), named(2500), new Set(), []).narrowed).toBe(false);
    expect(guardOfCopy(bound(incidentOnParticipations), named(2501), new Set(), []).narrowed).toBe(true);
  });

  test('still compares, if narrowed, what the rule reads, is found by and writes', () => {
    const projected = new Set(Array.from({ length: 121 }, (_, index) => `a${index}`));

    expect(
      Object.keys(
        guardOfCopy(bound(usernameOnMemberships), aMembership('s'), projected, ['Name', 'a7']).expect,
      ).sort(),
    ).toEqual(['Kind', 'Name', 'OwnerPart', 'OwnerSort', 'UserId', 'a7']);
  });
});

function wide(more: number) {
  return {
    ...aParticipation('g'),
    ...item(Object.fromEntries(Array.from({ length: more }, (_, index) => [`a${index}`, 1]))),
  };
}

/** A copy without any attribute that the rule writes. */
function plain() {
  return { Part: 'acct_1#incident_a#participations', Sort: 'g', Note: '1' };
}
