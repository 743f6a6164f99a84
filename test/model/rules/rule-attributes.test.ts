import { expect, test } from 'vitest';
import { clearedBy, isCopied } from '../../../src/model/rules/rule-attributes.ts';
import { incidentOnParticipations } from '../../../src/rules/incident-on-participations.ts';
import { usernameOnMemberships } from '../../../src/rules/username-on-memberships.ts';
import { table } from '../../../src/table.ts';
import { bound } from '../../fixtures/model/bound.ts';

test.each([
  ['Title', true],
  ['aws:region', true],
  ['aws:rep:deleting', false],
  ['aws:rep:updateregion', false],
])('a strict mirror copies %s: %s, as global tables have attributes of their own', (name, copies) => {
  expect(isCopied(bound(incidentOnParticipations, table), name)).toBe(copies);
});

test.each([
  ['delete', undefined],
  ['clear', ['username']],
  ['keep', []],
] as const)('%s takes from a copy: %j, undefined for the whole item', (policy, taken) => {
  const copy = { PK: { S: 'SERVER#1' }, username: { S: 'Ann' }, role: { S: 'admin' } };

  expect(clearedBy(policy, bound(usernameOnMemberships, table), copy)).toEqual(taken);
});
