import { expect, test } from 'vitest';
import { byKey, keyed, keyIn, keyOf } from '../../../src/model/items/item.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';

test.each([
  ['the partition key is missing', item({ Sort: 'b' })],
  ['the sort key is missing', item({ Part: 'a' })],
  ['the sort key is a number', item({ Part: 'a', Sort: 1 })],
  ['it is the key of another table', item({ PK: 'a', SK: 'b' })],
])('the key of an item is undefined if %s', (_, keyless) => {
  expect(keyOf(table, keyless)).toBeUndefined();
  expect(() => keyIn(table, keyless)).toThrow(expect.objectContaining({ code: 'item.keyless' }));
  expect(() => keyed(table, keyless)).toThrow(expect.objectContaining({ code: 'item.keyless' }));
});

test('items are found by their keys alone, whatever separators the parts contain', () => {
  const items = ['a', 'a","b'].map((Part) => keyed(table, item({ Part, Sort: 'c' })));
  const itemAt = byKey(items);

  expect(items.map(({ key }) => itemAt({ ...key }))).toEqual(items);
  expect(itemAt({ pk: 'a', sk: 'b","c' })).toBeUndefined();
});
