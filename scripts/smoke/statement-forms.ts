import type { AttributeValue } from '../../src/model/attribute-value.ts';
import type { Expectation } from '../../src/model/guarded-write.ts';
import type { Item } from '../../src/model/item.ts';

/** One guarded update of an item, and what must become of it. */
export interface FormCase {
  /** Attributes of the item before, without its key; undefined if there is no such item. */
  readonly before: Item | undefined;
  readonly set: Item;
  readonly remove: readonly string[];
  readonly expect: Expectation;
  readonly outcome: 'written' | 'lost';
}

/** A form of update that the worker generates. */
export interface Form {
  readonly name: string;
  readonly cases: readonly FormCase[];
}

const bytes = (...values: readonly number[]) => Uint8Array.from(values);
const digits38 = '12345678901234567890123456789012345678';
const nearby38 = '12345678901234567890123456789012345679';

/** A value of each type, and another that must not count as equal to it. */
const types: Readonly<Record<string, readonly [AttributeValue, AttributeValue]>> = {
  S: [{ S: 'it\'s a "text" ?, ÿ 🙂\n' }, { S: 'another' }],
  N: [{ N: '-1.5' }, { N: '1.5' }],
  B: [{ B: bytes(0, 255, 128) }, { B: bytes(0, 255) }],
  BOOL: [{ BOOL: true }, { BOOL: false }],
  NULL: [{ NULL: true }, { BOOL: false }],
  L: [{ L: [{ S: 'a' }, { N: digits38 }, { L: [{ NULL: true }] }] }, { L: [{ S: 'a' }] }],
  M: [{ M: { a: { N: digits38 }, 'b c': { M: { d: { SS: ['x'] } } } } }, { M: { a: { N: nearby38 } } }],
  SS: [{ SS: ['b', 'a'] }, { SS: ['a'] }],
  NS: [{ NS: [digits38, nearby38] }, { NS: [digits38] }],
  BS: [{ BS: [bytes(1), bytes(2, 3)] }, { BS: [bytes(1)] }],
};

/** An update that takes place: `expect` holds. */
function holds(before: Item, set: Item, expect: Expectation, remove: readonly string[] = []): FormCase {
  return { before, set, remove, expect, outcome: 'written' };
}

/** An update that must change nothing. */
function lost(before: Item | undefined, set: Item, expect: Expectation): FormCase {
  return { before, set, remove: [], expect, outcome: 'lost' };
}

const one: AttributeValue = { S: '1' };
const two: AttributeValue = { S: '2' };

/** Every form of guarded update that a rule can lead to. */
export const forms: readonly Form[] = [
  ...Object.entries(types).map(([type, [value, other]]) => ({
    name: `SET and compare ${type}`,
    cases: [
      holds({ was: value, now: one }, { now: value }, { was: value, now: one }),
      lost({ was: value, now: one }, { now: value }, { was: other }),
    ],
  })),
  {
    name: 'numbers of 38 digits',
    cases: [
      holds({ was: { N: digits38 } }, { now: { N: nearby38 } }, { was: { N: digits38 } }),
      lost({ was: { N: digits38 } }, { now: one }, { was: { N: nearby38 } }),
      holds(
        { was: { N: '9.9999999999999999999999999999999999999E+125' } },
        { now: { N: '-1E-130' } },
        { was: { N: '9.9999999999999999999999999999999999999E+125' } },
      ),
    ],
  },
  {
    name: 'numbers spelt, and sets ordered, in another way',
    cases: [
      holds(
        { n: { N: '1' }, ns: { NS: ['3', '20', '1'] }, ss: { SS: ['b', 'a'] } },
        { now: one },
        { n: { N: '1.0' }, ns: { NS: ['1', '3.0', '2E1'] }, ss: { SS: ['a', 'b'] } },
      ),
    ],
  },
  {
    name: 'empty text, bytes, list and map',
    cases: [
      holds(
        { s: { S: '' }, b: { B: bytes() }, l: { L: [] }, m: { M: {} } },
        { s2: { S: '' }, b2: { B: bytes() }, l2: { L: [] }, m2: { M: {} } },
        { s: { S: '' }, b: { B: bytes() }, l: { L: [] }, m: { M: {} } },
      ),
    ],
  },
  {
    name: 'several SET, several REMOVE, several conditions',
    cases: [
      holds(
        { a: one, b: one, c: one, d: one, kept: one },
        { a: two, b: { N: '2' }, new: two },
        { a: one, c: one, new: undefined },
        ['c', 'd', 'never-there'],
      ),
      lost({ a: one, c: one }, { a: two }, { a: one, c: two }),
    ],
  },
  { name: 'REMOVE alone', cases: [holds({ a: one, b: one }, {}, { a: one }, ['a'])] },
  {
    name: 'IS MISSING',
    cases: [
      holds({ a: one }, { a: two }, { b: undefined }),
      lost({ a: one, b: one }, { a: two }, { b: undefined }),
      lost({ a: one, b: { NULL: true } }, { a: two }, { b: undefined }),
      lost({ a: one, b: { S: '' } }, { a: two }, { b: undefined }),
    ],
  },
  {
    name: 'quoted names: reserved words, case, hyphens',
    cases: [
      holds(
        { Status: one, select: one, 'a-b': one, VALUE: one },
        { status: two, Select: two, 'a-b': two, set: two },
        { Status: one, 'a-b': one, where: undefined },
        ['VALUE', 'missing'],
      ),
    ],
  },
  {
    name: 'names that only UpdateItem takes',
    cases: [
      holds({ 'a.b': one, 'q"q': one }, { 'a.b': two, 'l[0]': two, 'ü ö': two }, { 'a.b': one }, ['q"q']),
      lost({ 'a.b': one }, { 'a.b': two }, { 'a.b': two }),
    ],
  },
  {
    name: 'more names than a statement holds',
    cases: [
      holds({ a: one }, Object.fromEntries(Array.from({ length: 200 }, (_, n) => [longName(n), two])), {
        a: one,
      }),
    ],
  },
  {
    name: 'an item that does not exist stays so',
    cases: [lost(undefined, { a: one }, {}), lost(undefined, { a: one }, { a: undefined })],
  },
];

function longName(n: number): string {
  return `an-attribute-with-a-rather-long-name-${n}`;
}
