import { expect, test } from 'vitest';
import { writeUnits } from '../../../src/model/items/capacity.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { itemSize } from '../../../src/model/items/item-size.ts';
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
test('a write costs the table double in a transaction, but not its indexes', () => {
  const before = sized(1500, owned);

  expect(writeUnits(table, before, { ...before, Body: { S: 'y' } }, true)).toEqual({
    table: 4,
    indexes: { ByOwner: 2, ByState: 0 },
    total: 6,
  });
  expect(writeUnits(table, undefined, undefined, true).total).toBe(2);
});

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
])('a write costs an index %s', (_, before, after, units) => {
  expect(writeUnits(table, before, after).indexes).toEqual({ ByOwner: units, ByState: 0 });
});
