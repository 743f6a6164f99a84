import type { AttributeValue } from '../../../../src/model/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/model/items/item.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

const nested: AttributeValue = {
  L: [
    { M: { 'a.b': { L: [{ B: bytes(255) }, { NULL: true }, { BOOL: false }] }, '': { SS: ['x', 'y'] } } },
    { N: '1.50' },
  ],
};

const digits = { N: '12345678901234567890123456789012345678' };
const otherDigits = { N: '12345678901234567890123456789012345679' };

/** An attribute of each type. */
export const everyType: Record<string, AttributeValue> = {
  text: { S: 'it\'s "so" ? 😀' },
  empty: { S: '' },
  number: digits,
  binary: { B: bytes(0, 255) },
  yes: { BOOL: true },
  nothing: { NULL: true },
  texts: { SS: ['a', 'b'] },
  numbers: { NS: ['1', '2.5'] },
  binaries: { BS: [bytes(1), bytes(2)] },
  list: { L: [] },
  map: { M: {} },
};

/** A stored value, another spelling of it, and a different value. */
export const values: [type: string, stored: AttributeValue, same: AttributeValue, other: AttributeValue][] = [
  ['text', { S: 'a' }, { S: 'a' }, { S: 'A' }],
  ['text with quotes and question marks', { S: '\'"? 😀' }, { S: '\'"? 😀' }, { S: '\'"? ' }],
  ['empty text', { S: '' }, { S: '' }, { S: ' ' }],
  ['a number', { N: '1.0' }, { N: '1' }, { N: '1.01' }],
  ['38 digits', digits, { N: '1.2345678901234567890123456789012345678E37' }, otherDigits],
  [
    'a set of numbers of 38 digits',
    { NS: [digits.N, '2'] },
    { NS: ['2', '1.2345678901234567890123456789012345678E37'] },
    { NS: [otherDigits.N, '2'] },
  ],
  ['a large number', { N: '1E+100' }, { N: '10E99' }, { N: '1E+101' }],
  ['a small number', { N: '1E-130' }, { N: '0.1E-129' }, { N: '1E-129' }],
  ['zero', { N: '0' }, { N: '-0.0' }, { N: '1' }],
  ['a number and its text', { N: '1' }, { N: '1' }, { S: '1' }],
  ['bytes', { B: bytes(0, 1) }, { B: bytes(0, 1) }, { B: bytes(1, 0) }],
  ['true', { BOOL: true }, { BOOL: true }, { BOOL: false }],
  ['null', { NULL: true }, { NULL: true }, { S: '' }],
  ['a set of texts', { SS: ['a', 'b', 'c'] }, { SS: ['c', 'a', 'b'] }, { SS: ['a', 'b'] }],
  ['a set of numbers', { NS: ['1', '2.0'] }, { NS: ['2', '1.00'] }, { NS: ['1'] }],
  ['a set of bytes', { BS: [bytes(1), bytes(2)] }, { BS: [bytes(2), bytes(1)] }, { BS: [bytes(1)] }],
  [
    'a list',
    { L: [{ S: 'a' }, { N: '1' }] },
    { L: [{ S: 'a' }, { N: '1.0' }] },
    { L: [{ N: '1' }, { S: 'a' }] },
  ],
  ['an empty list', { L: [] }, { L: [] }, { M: {} }],
  [
    'a map',
    { M: { x: { N: '1' }, y: { S: 'a' } } },
    { M: { y: { S: 'a' }, x: { N: '1.0' } } },
    { M: { x: { N: '1' } } },
  ],
  ['a nested value', nested, nested, { L: [] }],
  [
    '38 digits inside a list and a map',
    { L: [{ M: { n: digits, some: { NS: [digits.N, '2'] } } }] },
    { L: [{ M: { some: { NS: ['2', digits.N] }, n: digits } }] },
    { L: [{ M: { n: otherDigits, some: { NS: [digits.N, '2'] } } }] },
  ],
];

/** Names that an expression or a statement could misread. */
export const unusualNames = [
  'plain',
  'with-dash',
  'a"b',
  'a.b',
  'a[0]',
  'a#b',
  ':v',
  'a b',
  "a'b",
  '1a',
  '?',
  '--',
  '/*x*/',
  'a\nb',
  'a\\b',
  '😀',
  'SET',
  'status',
  'WHERE',
  'MISSING',
  'null',
  'true',
  'size',
  'Owner2',
  'n'.repeat(255),
  'constructor',
];

/** Keys that a separator, a path or a length limit could break. */
export const unusualKeys: [name: string, key: ItemKey][] = [
  ['with #', { pk: 'acct_X#inc', sk: '#METADATA' }],
  ['with /', { pk: 'a/b', sk: '/' }],
  ['with §', { pk: 'bear§books', sk: '§' }],
  ['with an emoji', { pk: '😀', sk: '👩‍👩‍👧' }],
  ['of dots', { pk: '..', sk: '.' }],
  ['with quotes', { pk: `'"`, sk: `"'?` }],
  ['with a line break', { pk: 'a\nb', sk: '\u0000' }],
  ['of the greatest length', { pk: 'ä'.repeat(1024), sk: 'ä'.repeat(512) }],
];
