import { describe, expect, test } from 'vitest';
import { driftIn, noCounts, verifyFrom, verifyStateSchema } from '../../../src/worker/verify/verify-state.ts';

const state = {
  ...verifyFrom({ segments: [{ index: 2, of: 9, from: { PK: 'a', SK: 'b' }, done: false }] }),
  suspectedDrifts: [
    {
      ...{ rule: 'r', copy: { pk: 'a', sk: 'b' }, seen: { copy: 'c', root: 'd' } },
      ...{ looks: 2, left: 1, dueAt: 1234.5 },
    },
    {
      ...{ rule: 'r', copy: { pk: 'a', sk: 'b' }, root: { pk: 'c', sk: 'd' } },
      ...{ seen: { copy: 'none', root: 'd' }, looks: 1, left: 0, dueAt: 5 },
    },
  ],
  items: 77,
  rules: {
    r: {
      ...{ copies: 30, kept: 1, unfindable: 2, unstable: 3 },
      ...{ differs: 4, derived: 5, missing: 10, excluded: 9, unlisted: 11 },
      ...{ orphan: 6, foreign: 7, unlinked: 12, invalid: 8 },
    },
  },
};

describe('the state of a search', () => {
  test('comes back from a resume file as it was, every count of it', () => {
    expect(verifyStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
    expect(driftIn(state)).toBe(72);
  });

  test.each<[string, object]>([
    ['a count that is no whole number from 0 on', { ...state, items: -1.5 }],
    ['counts that lack a kind', { ...state, rules: { r: { ...noCounts(), differs: undefined } } }],
    ['a suspect without a key', { ...state, suspectedDrifts: [{ ...state.suspectedDrifts[0], copy: {} }] }],
  ])('is refused with %s', (_, wrong) => {
    expect(verifyStateSchema.safeParse(wrong).success).toBe(false);
  });
});
