import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AttributeValue,
  canonical,
  canonicalMap,
  canonicalNumber,
  equal,
  jsValue,
} from '../../../src/model/items/attribute-value.ts';
import {
  attributes,
  attributeValue,
  crowdedNumber,
  exactNumber,
  sameNumber,
  spelling,
} from '../../fixtures/model/arbitraries.ts';
import { values } from '../../fixtures/model/samples.ts';

describe('equality of numbers', () => {
  test('holds if and only if integer arithmetic finds the numbers equal', () => {
    const spelled = crowdedNumber.chain((number) =>
      fc.record({ number: fc.constant(number), text: spelling(number) }),
    );
    fc.assert(
      fc.property(spelled, spelled, (a, b) => {
        expect(canonicalNumber(a.text) === canonicalNumber(b.text)).toBe(sameNumber(a.number, b.number));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('canonicalNumber', () => {
  test('takes a text that is longer than every number as it is, in no time', () => {
    const texts = ['7', '70'].map((end) => `1${'0'.repeat(200_000)}${end}`);
    const started = performance.now();

    expect(texts.map(canonicalNumber)).toEqual(texts);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('equality of values', () => {
  test.each(values)('holds between %s and its other spelling, not another one', (_, stored, same, other) => {
    expect([equal(stored, same), equal(stored, other)]).toEqual([true, false]);
  });

  test('compares binary by its bytes, in any buffer', () => {
    const wide = new Uint8Array([9, 1, 2, 9]);

    expect(equal({ B: wide.subarray(1, 3) }, { B: bytes(1, 2) })).toBe(true);
    expect(equal({ B: wide.subarray(1, 3) }, { B: bytes(1, 3) })).toBe(false);
    expect(equal({ B: Buffer.from([1, 2]) }, { B: bytes(1, 2) })).toBe(true);
  });

  test.each<[string, AttributeValue, AttributeValue]>([
    ['text and a number', { S: '1' }, { N: '1' }],
    ['a set of one text and one of its parts', { SS: ['a,b'] }, { SS: ['a', 'b'] }],
    ['maps with other names', { M: { a: { N: '1' } } }, { M: { b: { N: '1' } } }],
    ['text and binary', { S: 'AQ==' }, { B: bytes(1) }],
    ['text and a set of it', { S: 'a' }, { SS: ['a'] }],
    ['a set and a list', { SS: ['a'] }, { L: [{ S: 'a' }] }],
    ['sets of text and of numbers', { SS: ['1'] }, { NS: ['1'] }],
    ['null and false', { NULL: true }, { BOOL: false }],
    ['null and the word', { NULL: true }, { S: 'null' }],
    ['an empty list and an empty map', { L: [] }, { M: {} }],
    ['the empty text and null', { S: '' }, { NULL: true }],
  ])('does not hold between %s', (_, a, b) => {
    expect(equal(a, b)).toBe(false);
    expect(canonical(a)).not.toBe(canonical(b));
  });

  test('holds for a missing value only with another missing value', () => {
    expect(equal(undefined, undefined)).toBe(true);
    expect(equal(undefined, { S: '' })).toBe(false);
    expect(equal({ NULL: true }, undefined)).toBe(false);
  });

  test('holds between a value and its copy', () => {
    fc.assert(fc.property(attributeValue, (value) => equal(value, structuredClone(value))));
  });

  test('holds if and only if an independent comparison finds no difference', () => {
    fc.assert(
      fc.property(attributeValue, attributeValue, (a, b) => {
        expect(equal(a, b)).toBe(alike(a, b));
        expect(canonical(a) === canonical(b)).toBe(alike(a, b));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the canonical text of an item', () => {
  test('does not depend on the order of its attributes', () => {
    fc.assert(
      fc.property(attributes, (item) => {
        const reversed = Object.fromEntries(Object.entries(item).reverse());

        expect(canonicalMap(reversed)).toBe(canonicalMap(item));
      }),
    );
  });

  test.each(['a":S"1","b', 'a:S"1",b'])('distinguishes the attribute name %j from two attributes', (name) => {
    expect(canonicalMap({ [name]: { S: '2' } })).not.toBe(canonicalMap({ a: { S: '1' }, b: { S: '2' } }));
  });
});

describe('a value as a rule sees it', () => {
  test('has the natural JavaScript type', () => {
    expect(jsValue({ S: 'a' })).toBe('a');
    expect(jsValue({ N: '1.50' })).toBe(1.5);
    expect(jsValue({ BOOL: false })).toBe(false);
    expect(jsValue({ NULL: true })).toBeNull();
    expect(jsValue({ B: bytes(1) })).toEqual(bytes(1));
    expect(jsValue({ SS: ['a', 'b'] })).toEqual(new Set(['a', 'b']));
    expect(jsValue({ NS: ['1', '2.0'] })).toEqual(new Set([1, 2]));
    expect(jsValue({ M: { list: { L: [{ N: '1' }, { S: '' }] } } })).toEqual({ list: [1, ''] });
  });

  test('has bytes of its own, which a function may change without changing the item', () => {
    const [one, two] = [bytes(1, 2), bytes(3, 4)];
    const seen = [jsValue({ B: one }), ...(jsValue({ BS: [two] }) as Set<unknown>)];
    for (const copy of seen) if (copy instanceof Uint8Array) copy.reverse();

    expect(seen).toEqual([bytes(2, 1), bytes(4, 3)]);
    expect([one, two]).toEqual([bytes(1, 2), bytes(3, 4)]);
  });

  test.each([
    '12345678901234567890123456789012345678',
    '9007199254740993',
    '0.12345678901234567890',
    '1E+400',
  ])('stays text if a JavaScript number would round it: %s', (text) => {
    expect(jsValue({ N: text })).toBe(text);
  });

  test.each([
    ['1614194921', 1614194921],
    ['1E+100', 1e100],
    ['0.1', 0.1],
    ['-0', -0],
    ['59.97', 59.97],
  ])('is a number if JavaScript holds it exactly: %s', (text, number) => {
    expect(jsValue({ N: text })).toBe(number);
  });

  test('is never a different number', () => {
    fc.assert(
      fc.property(exactNumber.chain(spelling), (text) => {
        const seen = jsValue({ N: text });

        expect(typeof seen === 'number' ? equal({ N: String(seen) }, { N: text }) : seen === text).toBe(true);
      }),
    );
  });
});

function bytes(...values: number[]): Uint8Array {
  return new Uint8Array(values);
}

/** An independent definition of equality: by structure, with numbers as integers times a power of ten. */
function alike(a: AttributeValue, b: AttributeValue): boolean {
  if ('S' in a) return 'S' in b && a.S === b.S;
  if ('N' in a) return 'N' in b && sameText(a.N, b.N);
  if ('B' in a) return 'B' in b && String(a.B) === String(b.B);
  if ('BOOL' in a) return 'BOOL' in b && a.BOOL === b.BOOL;
  if ('NULL' in a) return 'NULL' in b;
  if ('SS' in a) return 'SS' in b && sameMembers(a.SS, b.SS, (x, y) => x === y);
  if ('NS' in a) return 'NS' in b && sameMembers(a.NS, b.NS, sameText);
  if ('BS' in a) return 'BS' in b && sameMembers(a.BS, b.BS, (x, y) => String(x) === String(y));
  if ('L' in a)
    return 'L' in b && a.L.length === b.L.length && a.L.every((x, i) => alike(x, b.L[i] ?? { S: 'none' }));
  if (!('M' in b)) return false;
  const other = b.M;
  const names = Object.keys(a.M);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const left = a.M[name];
      const right = Object.hasOwn(other, name) ? other[name] : undefined;
      return left !== undefined && right !== undefined && alike(left, right);
    })
  );
}

function sameMembers<T>(a: readonly T[], b: readonly T[], same: (x: T, y: T) => boolean): boolean {
  return a.length === b.length && a.every((x) => b.some((y) => same(x, y)));
}

function sameText(a: string, b: string): boolean {
  return sameNumber(exactly(a), exactly(b));
}

function exactly(text: string) {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('+', '').split('.');
  return { digits: BigInt(`${whole}${fraction}`), power: Number(exponent) - fraction.length };
}
