import { expect, test } from 'vitest';
import { wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { driftKinds } from '../../../src/worker/verify/drift.ts';
import {
  countIn,
  driftIn,
  isPassed,
  isUncompared,
  noCounts,
  verifyFrom,
  verifyStateSchema,
} from '../../../src/worker/verify/verify-state.ts';

const key = { pk: 'p', sk: 's' };
const suspect = { rule: 'a', copy: key, seen: { copy: 'x', root: 'y' }, looks: 1, left: 0, dueAt: 5 };
const begun = verifyFrom(wholeTable(1), {
  rules: [{ name: 'a' }] as never,
  aggregates: [{ name: 'b' }] as never,
});

const point = { segments: [{ index: 0, of: 1, done: true }] };

test.each([
  ['not before everything is read', begun, false],
  ['not while a suspect waits for another look', { ...begun, point, suspectedDrifts: [suspect] }, false],
  ['once everything is read, and no suspect is left', { ...begun, point }, true],
])('a pass is complete %s', (_, state, passed) => {
  expect(isPassed(state)).toBe(passed);
});

test.each([
  [
    'is told if none names a root, or is explained by a policy',
    { copies: 6, rootless: 1, kept: 2, unfindable: 3 },
    true,
  ],
  ['is not if one was compared', { copies: 7, rootless: 1, kept: 2, unfindable: 3 }, false],
  ['is not if there was none', {}, false],
])('a rule whose copies were looked at, and none compared, %s', (_, counts, is) => {
  expect(isUncompared({ ...noCounts(), ...counts })).toBe(is);
});

test('drift of every kind and every rule is counted, and nothing else', () => {
  const all = Object.fromEntries(driftKinds.map((kind) => [kind, 1]));
  const rules = {
    a: { ...noCounts(), ...all, copies: 7, unstable: 3 },
    b: { ...noCounts(), ...all, kept: 2 },
  };

  expect(driftIn({ rules })).toBe(2 * driftKinds.length);
  expect(countIn({ rules }, ['copies', 'kept'])).toBe(9);
});

test('a search begins with nothing counted of each rule, and is the same from a file', () => {
  const state = { ...begun, suspectedDrifts: [suspect, { ...suspect, root: key }] };

  expect(begun.rules).toEqual({ a: noCounts(), b: noCounts() });
  expect(verifyStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
});
