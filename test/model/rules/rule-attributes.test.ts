import { expect, test } from 'vitest';
import { isCopied } from '../../../src/model/rules/rule-attributes.ts';
import { incidentOnParticipations } from '../../../src/rules/incident-on-participations.ts';
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
