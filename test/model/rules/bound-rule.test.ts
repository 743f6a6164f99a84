import { describe, expect, test } from 'vitest';
import { bindKinds } from '../../../src/model/kinds/kind.ts';
import { bindAggregate, bindRule } from '../../../src/model/rules/bound-rule.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { table } from '../../fixtures/model/table.ts';
import { order } from '../../fixtures/world/kinds.ts';
import {
  incidentOnParticipations,
  orderOnUserOrder,
  usernameOnMemberships,
} from '../../fixtures/world/rules.ts';
import { contenderTotals } from '../../fixtures/world/totals.ts';

const keysAndExpiry = ['Part', 'Sort', 'OwnerPart', 'OwnerSort', 'StatePart', 'StateSort', 'EndsAt'];

describe('a rule that copies all attributes leaves alone', () => {
  test.each<[string, Rule, readonly string[]]>([
    ['its own of the copy', incidentOnParticipations, [...keysAndExpiry, 'Note']],
    [
      'the type, where it tells root or copy from other kinds',
      usernameOnMemberships,
      [...keysAndExpiry, 'Kind'],
    ],
  ])('keys, index keys, the expiry, and %s', (_, rule, names) => {
    expect([...bound(rule).neverCopied].toSorted()).toEqual(names.toSorted());
  });
});

describe('every condition compares', () => {
  test.each<[string, Rule, object]>([
    ['what is read', orderOnUserOrder, { root: ['UserId', 'CreatedAt', 'Kind'], copy: ['OrderId', 'Kind'] }],
    [
      'what locates a copy in an index',
      usernameOnMemberships,
      { root: ['Kind'], copy: ['UserId', 'OwnerPart', 'OwnerSort', 'Kind'] },
    ],
    [
      'no type, where none tells kinds apart',
      incidentOnParticipations,
      { root: ['State', 'CreatedAt'], copy: [] },
    ],
  ])('%s', (_, rule, compared) => {
    expect(bound(rule).compared).toEqual(compared);
  });

  test('the type of an item without one that may become a more specific kind', () => {
    const incident = incidentOnParticipations.root;
    const typed = { ...incident, name: 'Typed', type: 'Typed' };
    const bind = bindKinds(table, [incident, typed, incidentOnParticipations.copy]);

    expect(bindRule(table, incidentOnParticipations, bind).compared.root).toContain('Kind');
  });

  test('of a target, what is read of it and its type', () => {
    const reading = { ...contenderTotals, reads: { member: [], target: ['Name'] } };

    expect(bound(reading).compared).toEqual(['Name', 'Kind']);
    expect(bindAggregate(table, { ...reading, on: { ...order, type: undefined } }).compared).toEqual([
      'Name',
    ]);
  });
});

test('an aggregate with a ledger is bound as one of heads and one of entries', () => {
  const { ledger } = bound({ ...contenderTotals, ledger: { shards: 3 } });

  expect([ledger?.shards, ledger?.heads.on.name, ledger?.entries.of.name]).toEqual([
    ...[3, 'Contender', 'Entry of contender-totals'],
  ]);
  expect(bound(contenderTotals).ledger).toBeUndefined();
});
