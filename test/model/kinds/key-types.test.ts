import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type CopyLocation,
  isInRange,
  isLegalRange,
  locationText,
} from '../../../src/model/items/copy-location.ts';
import { plainNumber } from '../../../src/model/items/decimal.ts';
import { type KeyRange, rangeGiven } from '../../../src/model/items/given-keys.ts';
import {
  isLegalKey,
  keyAsJson,
  keyAttributes,
  keyIn,
  keyOf,
  keyText,
} from '../../../src/model/items/item.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { isGiven } from '../../../src/simulator/oracle/relation.ts';
import { ModelIndexes } from '../../../src/testing/table-model/model-indexes.ts';
import { objectKeyOf, readObjectKey } from '../../../src/worker/archive/object.ts';
import { crowdedNumber, exactNumber, sameNumber, spelling } from '../../fixtures/model/arbitraries.ts';
import { region, single, table } from '../../fixtures/model/typed-keys.ts';
import { refusal } from '../../suites/refusal.ts';

const spelt = fc
  .oneof(exactNumber, crowdedNumber)
  .chain((exact) => spelling(exact).map((text) => ({ exact, text })));

describe('a numeric key', () => {
  test('has one text for each number, with all its digits, and no two numbers share one', () => {
    fc.assert(
      fc.property(spelt, spelt, (one, other) => {
        const [a, b] = [one, other].map(({ text }) => keyIn(table, { device: { S: 'd' }, at: { N: text } }));
        if (a === undefined || b === undefined) throw new Error('no key');

        const same = sameNumber(one.exact, other.exact);
        expect(keyText(a) === keyText(b)).toBe(same);
        expect(objectKeyOf('K', a) === objectKeyOf('K', b)).toBe(same);
        expect(locationText({ in: 'key', ...a }) === locationText({ in: 'key', ...b })).toBe(same);
        expect(a.sk).toMatch(/^-?\d+(\.\d*[1-9])?$/);
        expect(keyOf(table, keyAttributes(table, a))).toEqual(a);
        expect(readObjectKey(objectKeyOf('K', a))).toMatchObject({ key: a });
        expect(JSON.parse(keyAsJson(table, a))).toEqual({ device: 'd', at: Number(a.sk) });
        expect(isLegalKey(table, a)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    '',
    ' 1',
    '0x10',
    '1e',
    '--1',
    'NaN',
    'Infinity',
    '1e400',
    '1'.repeat(39),
    '1e-131',
    '9'.repeat(300),
  ])('is not %j, which DynamoDB refuses', (text) => {
    expect(plainNumber(text)).toBeUndefined();
    expect(isLegalKey(table, { pk: 'd', sk: text })).toBe(false);
  });

  test('is not text, and text is not a number', () => {
    expect(keyOf(table, { device: { S: 'd' }, at: { S: '1' } })).toBeUndefined();
    expect(keyOf(table, { device: { N: '1' }, at: { N: '1' } })).toBeUndefined();
    expect(isLegalKey(table, { pk: 'd', sk: '1.0' })).toBe(false);
  });
});

test('a key without sort key is the partition key alone', () => {
  const key = keyIn(single, { id: { S: 'a/b' }, at: { N: '1' } });

  expect(key).toEqual({ pk: 'a/b', sk: '' });
  expect(keyAttributes(single, key)).toEqual({ id: { S: 'a/b' } });
  expect(keyAsJson(single, key)).toBe('{"id":"a/b"}');
  expect([isLegalKey(single, key), isLegalKey(single, { pk: 'a', sk: 'b' })]).toEqual([true, false]);
});

const at = fc.oneof(fc.integer({ min: -2, max: 12 }), fc.constantFrom('5.0', 5n, '1e1'));
const ranges: fc.Arbitrary<KeyRange> = fc
  .oneof(
    fc.constantFrom<Partial<KeyRange>>(
      {},
      { begins: 'o' },
      { from: 'm' },
      { to: 'm' },
      { from: 'a', to: 'm' },
    ),
    fc.record({ sk: fc.constantFrom(['open'], ['shut']), from: at }),
    fc.record({ sk: fc.constant(['open']), to: at }),
    fc.record({ sk: fc.tuple(fc.constant('open'), at) }),
  )
  .map((range) => ({ pk: ['t', 'eu'], ...range }));
const entries = fc.record(
  {
    tenant: fc.constantFrom({ S: 't' }, { S: 'u' }),
    region: fc.constantFrom({ S: 'eu' }, { S: 'us' }, { N: '1' }),
    status: fc.constantFrom({ S: 'open' }, { S: 'shut' }),
    at: fc.oneof(
      fc.constantFrom('-1', '5', '5.00', '10', '1E1').map((N) => ({ N })),
      fc.constant({ S: '5' }),
    ),
  },
  { requiredKeys: ['tenant'] },
);

describe('a range of an index of several attributes', () => {
  test('has the items that its rule means, and the model of the table finds the same', () => {
    fc.assert(
      fc.property(ranges, fc.array(entries, { maxLength: 8 }), (given, found) => {
        const range = rangeGiven(region, given);
        const items = found.map((one, n) => ({ id: { S: String(n) }, ...one }));
        const names = { ...single, indexes: { region } };
        const model = new ModelIndexes(names, () => 0);
        for (const one of items) model.follow(keyIn(names, one), one);
        const location: CopyLocation = { in: 'index', index: 'by-region', ...range };
        const page = model.query(location, 100, undefined, true).entries.map(({ item }) => item);

        const inRange = items.filter((one) => isInRange(region, one, range));
        expect(inRange).toEqual(items.filter((one) => isGiven(region, one, given)));
        expect(page).toHaveLength(inRange.length);
        expect(page).toEqual(expect.arrayContaining(inRange));
        expect(isLegalRange(region, range)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each<[Partial<KeyRange>, boolean]>([
    [{ pk: ['t', 'eu'] }, true],
    [{ pk: ['t'] }, false],
    [{ pk: ['t', ''] }, false],
    [{ pk: ['t', 'eu'], sk: ['open', 1], from: 2 }, false],
    [{ pk: ['t', 'eu'], sk: ['open'], from: '1e400' }, false],
    [{ pk: ['t', 'eu'], begins: 'x'.repeat(1025) }, false],
  ])('%j is taken by DynamoDB: %j', (given, isLegal) => {
    expect(isLegalRange(region, rangeGiven(region, given as KeyRange))).toBe(isLegal);
  });
});

describe('a kind', () => {
  const attributes = z.object({ status: z.string().optional() });

  test('has no id that is text in one part of its key and a number in the other', () => {
    expect(refusal(() => defineKind({ name: 'K', pk: 'K#{k}', sk: '{k:number}', attributes }))).toMatchObject(
      {
        ...{ code: 'key.malformed', message: expect.stringContaining("Expected the id 'k' of K") },
      },
    );
  });

  test('writes and reads numbers in its keys, and refuses what is none', () => {
    const kind = defineKind({ name: 'K', pk: '{id:bigint}', sk: '{at:number}', attributes });

    expect(kind.key({ id: 12345678901234567890n, at: 1.5 })).toEqual({
      pk: '12345678901234567890',
      sk: '1.5',
    });
    expect(kind.idsOf({ pk: '7', sk: '-0.5' })).toEqual({ id: '7', at: '-0.5' });
    expect(kind.idsOf({ pk: '7', sk: '5.0' })).toBeUndefined();
    expect(kind.idsOf({ pk: '7.5', sk: '5' })).toBeUndefined();
    expect(refusal(() => kind.key({ id: 7.5 as never, at: 5 }))).toMatchObject({ code: 'key.unwritable' });
    expect(refusal(() => kind.key({ id: 1n, at: Number.NaN }))).toMatchObject({ code: 'key.unwritable' });
  });
});
