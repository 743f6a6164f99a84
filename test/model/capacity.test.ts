import { describe, expect, test } from 'vitest';
import { readUnits, writeUnits } from '../../src/model/capacity.ts';
import type { Item } from '../../src/model/item.ts';
import { itemSize } from '../../src/model/item-size.ts';
import { item, type Plain } from '../fixtures/model/items.ts';
import { table } from '../fixtures/model/table.ts';

/** An item of exactly this many bytes. */
function sized(bytes: number, more: Readonly<Record<string, Plain>> = {}): Item {
  const bare = item({ Part: 'p', Sort: 's', ...more, Body: '' });
  return { ...bare, Body: { S: 'x'.repeat(bytes - itemSize(bare)) } };
}

const owned = { OwnerPart: 'o', OwnerSort: 'a' };
const stated = { StatePart: 'OPEN', StateSort: 'a' };

// Calculated by hand from "DynamoDB read and write operations" and "Provisioned throughput considerations for Global
// Secondary Indexes".
describe('a write costs the table', () => {
  test.each<[string, Item | undefined, Item | undefined, number]>([
    ['1 for a new item of a few bytes', undefined, sized(100), 1],
    ['1 for one of just 1 KB', undefined, sized(1024), 1],
    ['2 for a byte more', undefined, sized(1025), 2],
    ['400 for the largest', undefined, sized(400 * 1024), 400],
    ['what it was before, where that is larger', sized(3000), sized(100), 3],
    ['what it is now, where that is larger', sized(100), sized(3000), 3],
    ['what it was, when it goes', sized(2049), undefined, 3],
    ['1 for the deletion of nothing', undefined, undefined, 1],
    ['as much when nothing changes, or the condition is lost', sized(2049), sized(2049), 3],
  ])('%s', (_, before, after, units) => {
    expect(writeUnits(table, before, after)).toEqual({
      table: units,
      indexes: { ByOwner: 0, ByState: 0 },
      total: units,
    });
  });

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
  test.each<[string, Item | undefined, Item | undefined, number]>([
    ['nothing where the item is not on it', sized(5000), sized(5001), 0],
    ['nothing where nothing changes', sized(5000, owned), sized(5000, owned), 0],
    [
      'nothing where a number is only spelt otherwise',
      { ...sized(90, owned), Score: { N: '1.0' } },
      { ...sized(90, owned), Score: { N: '1' } },
      0,
    ],
    [
      '1 where another attribute changes',
      sized(90, { ...owned, Name: 'a' }),
      sized(90, { ...owned, Name: 'b' }),
      1,
    ],
    ['the larger entry where another attribute changes', sized(1000, owned), sized(2500, owned), 3],
    ['1 where the item comes to it', sized(90), sized(90, owned), 1],
    ['the entry where an item is new', undefined, sized(1100, owned), 2],
    ['the entry where the item goes', sized(1100, owned), undefined, 2],
    ['the entry where it loses a key attribute', sized(1100, owned), sized(3000, { OwnerPart: 'o' }), 2],
    ['2 where its key changes', sized(90, owned), sized(90, { ...owned, OwnerSort: 'b' }), 2],
    [
      'both entries where its key changes',
      sized(1100, owned),
      sized(2500, { ...owned, OwnerPart: 'q' }),
      2 + 3,
    ],
    ['nothing where only half of the key comes', sized(90), sized(90, { OwnerPart: 'o' }), 0],
    [
      'nothing where a key attribute is no text',
      sized(90, { OwnerPart: 'o', OwnerSort: 1 }),
      sized(95, { OwnerPart: 'o', OwnerSort: 1 }),
      0,
    ],
  ])('%s', (_, before, after, units) => {
    expect(writeUnits(table, before, after).indexes).toEqual({ ByOwner: units, ByState: 0 });
  });

  test('separately for each index, and the total is the sum', () => {
    const before = sized(1500, { ...owned, ...stated });
    const after = { ...before, StatePart: { S: 'CLOSED' } };

    expect(writeUnits(table, before, after)).toEqual({
      table: 2,
      indexes: { ByOwner: 2, ByState: 4 },
      total: 8,
    });
  });
});

test.each(['OwnerPart', 'OwnerSort'])(
  'an item with only %s of an index’s key costs that index nothing',
  (name) => {
    const indexes = { ByOwner: 0, ByState: 0 };

    expect(writeUnits(table, undefined, sized(100, { [name]: 'x' }))).toEqual({
      table: 1,
      indexes,
      total: 1,
    });
  },
);

describe('a read costs', () => {
  test.each([
    ['1 for nothing', 0, true, 1],
    ['1 for 4 KB', 4096, true, 1],
    ['2 for a byte more', 4097, true, 2],
    ['half of it where it is eventually consistent', 4097, false, 1],
    ['half of 1 for nothing, eventually consistent', 0, false, 0.5],
    ['100 for the largest item', 400 * 1024, true, 100],
  ])('%s', (_, bytes, consistent, units) => {
    expect(readUnits(bytes, consistent)).toBe(units);
  });
});
