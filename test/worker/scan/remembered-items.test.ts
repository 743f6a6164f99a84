import { expect, test } from 'vitest';
import { itemSize } from '../../../src/model/item-size.ts';
import { RememberedItems } from '../../../src/worker/scan/remembered-items.ts';
import { aBooking } from '../../fixtures/cruises/cruise-items.ts';

const megabyte = 1024 * 1024;
const [small, large] = [aBooking('a'), aBooking('a', { Cabin: 'x'.repeat(1000) })];

test('remembered items are the latest version of each, with the average size of all, repetitions included', () => {
  const items = new RememberedItems();
  expect(items.averageSize()).toBe(0);
  items.put('a', small);
  items.put('a', large);

  expect(items.get('a')).toEqual(large);
  expect(items.get('b')).toBeUndefined();
  expect(items.averageSize()).toBe((itemSize(small) + itemSize(large)) / 2);
});

const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index));
// A small item takes more memory than its bytes, so their number is limited too.
test.each<[string, readonly string[], number, string[], string[]]>([
  ['the latest that fit into 8 MB', numbered(9), megabyte, ['0'], ['1', '8']],
  ['as many again when more follow', numbered(10), megabyte, ['0', '1'], ['2', '9']],
  ['at most 8,000', numbered(8_001), 200, ['0'], ['1', '8000']],
  [
    'the others if one of them is repeated',
    ['other', ...Array(100).fill('one')],
    megabyte,
    [],
    ['other', 'one'],
  ],
  ['a single item that is larger than the limit', ['a', 'b'], 9 * megabyte, ['a'], ['b']],
])('remembered items are %s', (_, keys, bytes, gone, kept) => {
  const items = new RememberedItems();
  const item = sized(bytes);
  for (const key of keys) items.put(key, item);

  for (const key of gone) expect(items.get(key)).toBeUndefined();
  for (const key of kept) expect(items.get(key)).toBe(item);
});

/** An item of just so many bytes. */
function sized(bytes: number) {
  const bare = aBooking('g', { Cabin: '' });
  return aBooking('g', { Cabin: 'x'.repeat(bytes - itemSize(bare)) });
}
