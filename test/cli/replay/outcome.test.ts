import { expect, test } from 'vitest';
import { isFine, type Outcome, summaryOf, textOf } from '../../../src/cli/replay/outcome.ts';
import { nothing } from '../../../src/operate/drift/repair.ts';

const noon = Date.UTC(2026, 0, 31, 12);
const read = { records: 9, changes: 4, matched: 3, unreadable: 0, since: noon - 5000 };
const { leftAlone: _, unfinished: __, ...counts } = nothing;
const outcome: Outcome = {
  ...{ ...counts, written: 2, leftAlone: 0, replayed: read, isWhole: true, since: noon },
  ...{ streamFrom: undefined, isOfRules: true, paused: new Map(), disabled: [], dryRun: false },
};

const repair = 'denorm repair --stage prod';

test('a replay is fine if all that changed since then was run again', () => {
  expect(isFine(outcome)).toBe(true);
  expect(isFine({ ...outcome, streamFrom: noon - 1 })).toBe(true);
  expect(textOf({ ...outcome, streamFrom: noon - 1 }, repair)).toBe(textOf(outcome, repair));
  expect(textOf(outcome, repair)).toBe(
    '9 records read; 4 changes since 2026-01-31T12:00:00.000Z, 3 of concern to a rule; 0 propagations, 2 copies written, 0 already right, 0 left alone',
  );
});

test.each<[string, Partial<Outcome>, RegExp]>([
  ['was stopped', { replayed: undefined }, /^stopped before its end: .* begins anew/],
  ['was stopped at its end', { isWhole: false }, /^stopped before its end/],
  ['left something alone', { leftAlone: 1 }, /1 left alone$/],
  ['could not read a record', { replayed: { ...read, unreadable: 1 } }, /read, 1 of them unreadable;/],
  [
    'read older changes alone',
    { replayed: { ...read, changes: 0 } },
    /the oldest of 2026-01-31T11:59:55.000Z: nothing was run/,
  ],
  ['had no rules', { isOfRules: false }, /nothing was run again, because no rule is in force/],
  [
    'began with a stream that was enabled since',
    { streamFrom: noon + 60_000 },
    /^the stream was enabled at 2026-01-31T12:01:00.000Z: of what changed from 2026-01-31T12:00:00.000Z to then, `denorm repair --stage prod`/,
  ],
])('a replay that %s is not fine, and says so', (_, found, says) => {
  expect(isFine({ ...outcome, ...found })).toBe(false);
  expect(textOf({ ...outcome, ...found }, repair)).toMatch(says);
});

test('a summary says what was not run, and since when the stream goes back', () => {
  const paused = new Map([['a', '2026-01-30T00:00:00.000Z']]);

  expect(summaryOf({ ...outcome, paused, disabled: ['b'], streamFrom: noon })).toMatchObject({
    ...{ paused: { a: '2026-01-30T00:00:00.000Z' }, disabled: ['b'], finished: true, written: 2 },
    ...{ streamFrom: '2026-01-31T12:00:00.000Z', oldest: '2026-01-31T11:59:55.000Z', leftAlone: 0 },
  });
});
