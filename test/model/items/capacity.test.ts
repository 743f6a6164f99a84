import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../../src/model/items/attribute-value.ts';
import { writeUnits } from '../../../src/model/items/capacity.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { itemSize, itemSizeAtMost, maxItem } from '../../../src/model/items/item-size.ts';
import { attributes } from '../../fixtures/model/arbitraries.ts';
import { item, type Plain } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';

/** An item of exactly this many bytes. */
function sized(bytes: number, more: Readonly<Record<string, Plain>> = {}): Item {
  const bare = item({ Part: 'p', Sort: 's', ...more, Body: '' });
  return { ...bare, Body: { S: 'x'.repeat(bytes - itemSize(bare)) } };
}

const owned = { OwnerPart: 'o', OwnerSort: 'a' };

// Calculated by hand from "DynamoDB read and write operations" and "Provisioned throughput considerations for Global
// Secondary Indexes".
describe('a write costs the table', () => {
  test('double in a transaction, but not its indexes', () => {
    const before = sized(1500, owned);

    expect(writeUnits(table, before, { ...before, Body: { S: 'y' } }, true)).toEqual({
      table: 4,
      indexes: { ByOwner: 2, ByState: 0 },
      total: 6,
    });
    expect(writeUnits(table, undefined, undefined, true).total).toBe(2);
  });
});

describe('a write costs an index', () => {
  const numbered = { OwnerPart: 'o', OwnerSort: 1 };
  const scored = (N: string) => ({ ...sized(90, owned), Score: { N } });

  test.each<[string, Item | undefined, Item | undefined, number]>([
    ['nothing where the item is not on it', sized(5000), sized(5001), 0],
    ['nothing where nothing changes', sized(5000, owned), sized(5000, owned), 0],
    ['nothing where a number is only spelt otherwise', scored('1.0'), scored('1'), 0],
    ['1 where another attribute changes', scored('1'), scored('2'), 1],
    ['the larger entry where another attribute changes', sized(1000, owned), sized(2500, owned), 3],
    ['1 where the item comes to it', sized(90), sized(90, owned), 1],
    ['the entry where an item is new', undefined, sized(1100, owned), 2],
    ['the entry where the item goes', sized(1100, owned), undefined, 2],
    ['the entry where it loses a key attribute', sized(1100, owned), sized(3000, { OwnerPart: 'o' }), 2],
    ['2 where its key changes', sized(90, owned), sized(90, { ...owned, OwnerSort: 'b' }), 2],
    ['both entries where its key changes', sized(1100, owned), sized(2500, { ...owned, OwnerPart: 'q' }), 5],
    ['nothing where only half of the key comes', sized(90), sized(90, { OwnerPart: 'o' }), 0],
    ['nothing where a key attribute is no text', sized(90, numbered), sized(95, numbered), 0],
  ])('%s', (_, before, after, units) => {
    expect(writeUnits(table, before, after).indexes).toEqual({ ByOwner: units, ByState: 0 });
  });
});

describe('the size of an item', () => {
  // Calculated by hand from "DynamoDB item sizes and formats".
  test.each<[string, AttributeValue, number]>([
    ['text by its UTF-8 bytes', { S: 'a§😀' }, 1 + 2 + 4],
    ['empty text as nothing', { S: '' }, 0],
    ['a number by pairs of digits and one', { N: '12345' }, 3 + 1],
    ['a number without its outer zeros', { N: '001200.00' }, 1 + 1],
    ['zero as a digit', { N: '0' }, 2],
    ['38 digits', { N: '12345678901234567890123456789012345678' }, 19 + 1],
    ['a sign as one more', { N: '-27' }, 1 + 1 + 1],
    ['an exponent as nothing', { N: '1E+100' }, 2],
    ['binary by its bytes', { B: new Uint8Array(7) }, 7],
    ['a truth value as one', { BOOL: false }, 1],
    ['null as one', { NULL: true }, 1],
    ['a set of text by its members', { SS: ['ab', '§'] }, 4],
    ['a set of numbers by its members', { NS: ['1', '-1'] }, 2 + 3],
    ['a set of binary by its members', { BS: [new Uint8Array(2), new Uint8Array(3)] }, 5],
    ['an empty list as three', { L: [] }, 3],
    ['a list with one more for each member', { L: [{ S: 'ab' }, { NULL: true }] }, 3 + (1 + 2) + (1 + 1)],
    ['a map with its names and one more for each', { M: { ab: { S: 'c' } } }, 3 + (1 + 2 + 1)],
    ['nesting level by level', { L: [{ M: {} }] }, 3 + 1 + 3],
  ])('counts %s', (_, value, size) => {
    expect(itemSize({ n: value })).toBe(1 + size);
  });

  test('never exceeds its bound', () => {
    fc.assert(
      fc.property(attributes, (item) => {
        expect(itemSizeAtMost(item)).toBeGreaterThanOrEqual(itemSize(item));
      }),
    );
    for (const N of ['0', '-27', '1E+100', '12345678901234567890123456789012345678'])
      expect(itemSizeAtMost({ n: { N } })).toBeGreaterThanOrEqual(itemSize({ n: { N } }));
  });

  test('is 400 KB for the largest item', () => {
    expect(itemSize({ n: { S: 'x'.repeat(400 * 1024 - 1) } })).toBe(maxItem);
  });
});
