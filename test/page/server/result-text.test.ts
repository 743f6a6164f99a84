import { expect, test } from 'vitest';
import type { RuleWork } from '../../../src/page/protocol/changes.ts';
import { isIdle, markOf, resultText } from '../../../src/page/server/result-text.ts';

const counts = {
  ...{ written: 0, removed: 0, unchanged: 0, retried: 0, deadLettered: 0 },
  ...{ orphans: 0, foreign: 0, skipped: 0, absent: 0 },
};

const one: RuleWork = {
  ...{ rule: 'a', why: '', root: undefined, asks: 'propagation', state: 'done', counts, failed: [] },
  ...{ milliseconds: 1, copies: undefined },
};

test('a fan-out that the queue continues shows how far it is', () => {
  const running: RuleWork = {
    ...one,
    state: 'running',
    counts: { ...counts, written: 177, unchanged: 3 },
  };

  expect(resultText(running, 'Membership')).toBe('180 / … Membership');
  expect(resultText({ ...running, copies: 2_000 }, 'Membership')).toBe('180 / 2,000 Membership');
  expect(resultText({ ...running, state: 'done' }, 'Membership')).toBe('177 × Membership, 3 equal');
});

test.each([
  ['no copy to write', {}],
  ['waiting', { state: 'waiting' }],
  ['checked', { asks: 'check' }],
  ['waiting', { asks: 'check', state: 'waiting' }],
  ['does not match', { asks: 'nothing' }],
  ['archived', { asks: 'archive', archived: 'stored', counts: { ...counts, written: 1 } }],
  ['archived before', { asks: 'archive', archived: 'unchanged' }],
  ['archived states erased', { asks: 'archive', archived: 'erased' }],
  ['1 equal, 2 invalid, left out', { counts: { ...counts, unchanged: 1, skipped: 2 } }],
  ['no such target', { counts: { ...counts, absent: 1 } }],
  ['copy with a later change', { with: 7 }],
  ['archived as a later change left it', { asks: 'archive', with: 7 }],
  ['dead-lettered', { asks: 'fault', counts: { ...counts, deadLettered: 1 } }],
  ['waiting', { asks: 'fault', state: 'waiting' }],
  ['1 removed, 2 dead-lettered', { counts: { ...counts, removed: 1, deadLettered: 2 } }],
] as const)('says %j of %j', (text, of) => {
  expect(resultText({ ...one, ...of })).toBe(text);
});

test('a write is loud, what was left out too, and nothing to write is quiet', () => {
  const marks = [{ written: 1 }, { unchanged: 1, skipped: 1 }, { unchanged: 1 }, {}].map((of) =>
    markOf({ ...one, counts: { ...counts, ...of } }),
  );

  expect(marks).toEqual(['good', 'bad', 'quiet', 'quiet']);
});

test('a change is idle if only copies were checked, and all were right', () => {
  const change = (...rules: Partial<RuleWork>[]) => rules.map((of) => ({ ...one, ...of }));
  const check = { asks: 'check' } as const;

  expect(isIdle(change(check, { asks: 'nothing' }))).toBe(true);
  expect(isIdle(change({ ...check, state: 'waiting' }))).toBe(false);
  expect(isIdle(change(check, { ...check, counts: { ...counts, written: 1 } }))).toBe(false);
  expect(isIdle(change(check, { ...check, counts: { ...counts, orphans: 1 } }))).toBe(false);
  expect([isIdle(change(check, {})), isIdle(change({ asks: 'nothing' }))]).toEqual([false, false]);
});
