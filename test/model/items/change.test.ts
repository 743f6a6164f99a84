import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterAll,
  changedNames,
  inSequence,
  isLater,
  isSameStream,
  isUpTo,
  recordedAt,
  recordId,
  sequenceOf,
} from '../../../src/model/items/change.ts';

const noon = Date.UTC(2026, 10, 23, 12);

/** @param second after noon */
function sequence(label: string, number: number, second?: number): bigint {
  const at = second === undefined ? undefined : noon + second * 1_000;
  return sequenceOf(`arn:aws:dynamodb:eu-west-1:1:table/app/stream/${label}`, String(number), at);
}

const older = '2026-01-01T00:00:00.000';
const newer = '2026-06-01T00:00:00.000';

describe('of the records of an item, the later one', () => {
  test.each([
    ['has the higher number, in one stream', sequence(newer, 10, 5), sequence(newer, 9, 5)],
    ['has the higher number, even if the clock was set back', sequence(newer, 10, 1), sequence(newer, 9, 5)],
    ['was made in a later second, of two streams', sequence(older, 1, 6), sequence(newer, 9, 5)],
    ['is of the stream enabled later, if no second is known', sequence(newer, 1), sequence(older, 9)],
    ['has a second, if the other was archived without', sequence(older, 1, 5), sequence(newer, 9)],
    ['is any, compared with none', sequence(older, 1, 5), -1n],
    ['is any, compared with what no record reported', sequence(older, 1), 0n],
    ['is none, compared with the end of all', afterAll, sequence(newer, 9, 5)],
  ])('%s', (_, later, other) => {
    expect([isLater(later, other), isLater(other, later)]).toEqual([true, false]);
    expect([isUpTo(later, other), isUpTo(other, later)]).toEqual([false, true]);
  });

  test('is unknown if two streams made them in one second', () => {
    const [a, b] = [sequence(older, 1, 5), sequence(newer, 2, 5)];

    expect([isLater(a, b), isLater(b, a), isUpTo(a, b), isUpTo(b, a)]).toEqual([false, false, false, false]);
  });
});

test('a record has one identity, whatever its second', () => {
  expect(recordId(sequence(newer, 7, 5))).toBe(recordId(sequence(newer, 7)));
  expect(isUpTo(sequence(newer, 7, 5), sequence(newer, 7))).toBe(true);
});

describe('records in sequence', () => {
  const record = fc.record({
    label: fc.constantFrom(older, newer),
    number: fc.integer({ min: 1, max: 9 }),
    second: fc.integer({ min: 0, max: 9 }),
  });
  const records = fc.array(
    record.map(({ label, number, second }) => ({ sequence: sequence(label, number, second) })),
  );

  test('keep the order of each stream, whatever its clock', () => {
    fc.assert(
      fc.property(records, (some) => {
        for (const [index, { sequence: a }] of inSequence(some).entries())
          for (const { sequence: b } of inSequence(some).slice(index + 1))
            if (isSameStream(a, b)) expect(isLater(a, b)).toBe(false);
      }),
    );
  });

  test('are in the order of their seconds if no clock was set back', () => {
    const straight = record.map(({ label, number }) => ({ sequence: sequence(label, number, number) }));
    fc.assert(
      fc.property(fc.array(straight), (some) => {
        for (const [index, { sequence: a }] of inSequence(some).entries())
          for (const { sequence: b } of inSequence(some).slice(index + 1)) expect(isLater(a, b)).toBe(false);
      }),
    );
  });
});

test('a sequence says when its record was made, if it has that', () => {
  expect(recordedAt(sequence(newer, 9, 5))).toBe(noon + 5_000);
  expect(recordedAt(sequence(newer, 9))).toBeUndefined();
  expect(recordedAt(0n)).toBeUndefined();
});

test('changed names are sorted, as DynamoDB gives attributes in any order', () => {
  const before = { c: { N: '1' }, a: { N: '1' }, b: { N: '1' } };
  expect(changedNames({ before, after: { b: { N: '1' }, d: { N: '1' } } })).toEqual(['a', 'c', 'd']);
});
