import { describe, expect, test } from 'vitest';
import { itemSize } from '../../../src/model/item-size.ts';
import { RememberedItems } from '../../../src/worker/scan/remembered-items.ts';
import { aBooking } from '../../fixtures/cruises/cruise-items.ts';

const megabyte = 1024 * 1024;

describe('remembered items', () => {
  test('are the latest version of each item', () => {
    const items = new RememberedItems();
    items.put('a', aBooking('a'));
    items.put('a', aBooking('a', { State: 'CLOSED' }));

    expect(items.get('a')).toEqual(aBooking('a', { State: 'CLOSED' }));
    expect(items.get('b')).toBeUndefined();
  });

  test('give the average size of all items seen, repetitions included', () => {
    const items = new RememberedItems();
    expect(items.averageSize()).toBe(0);
    items.put('a', aBooking('a'));
    items.put('a', aBooking('a', { Cabin: 'x'.repeat(1000) }));

    const sizes = [aBooking('a'), aBooking('a', { Cabin: 'x'.repeat(1000) })].map(itemSize);
    expect(items.averageSize()).toBe(sizes.reduce((sum, size) => sum + size, 0) / 2);
  });

  test('are the latest items that fit into 8 MB', () => {
    const items = new RememberedItems();
    for (let index = 0; index < 9; index += 1) items.put(String(index), sized(megabyte));

    expect(items.get('0')).toBeUndefined();
    expect(items.get('1')).toBeDefined();
    items.put('9', sized(megabyte));
    expect(items.get('1')).toBeUndefined();
    expect(items.get('2')).toBeDefined();
  });

  test('are at most 8,000, because a small item takes more memory than its bytes', () => {
    const items = new RememberedItems();
    for (let index = 0; index < 8_001; index += 1) items.put(String(index), aBooking('a'));

    expect(items.get('0')).toBeUndefined();
    expect(items.get('1')).toBeDefined();
  });

  test('stay if one of them is repeated again and again', () => {
    const items = new RememberedItems();
    items.put('other', sized(megabyte));
    for (let index = 0; index < 100; index += 1) items.put('one', sized(megabyte));

    expect(items.get('other')).toBeDefined();
  });

  test('keep a single item that is larger than the limit', () => {
    const items = new RememberedItems();
    items.put('small', sized(100));
    items.put('large', sized(9 * megabyte));

    expect(items.get('small')).toBeUndefined();
    expect(items.get('large')).toBeDefined();
  });
});

/** An item of just so many bytes. */
function sized(bytes: number) {
  const bare = aBooking('g', { Cabin: '' });
  return aBooking('g', { Cabin: 'x'.repeat(bytes - itemSize(bare)) });
}
