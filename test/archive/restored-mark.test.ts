import { describe, expect, test } from 'vitest';
import { objectKeyOf } from '../../src/archive/object.ts';
import { restoredAt, restoredKeyOf, restoredMark } from '../../src/archive/restored-mark.ts';

const now = 1_800_000_000_000;

describe('the mark of what was restored', () => {
  test.each(['1', '..', 'a/b', 'bear§books', 's'.repeat(2000)])(
    'stands beside the archive, under a key as its object has: %s',
    (sk) => {
      const key = { pk: 'ORDER#1', sk };

      expect(restoredKeyOf('Order', key)).toBe(
        `restored/${objectKeyOf('Order', key).slice('archive/'.length)}`,
      );
      expect(Buffer.byteLength(restoredKeyOf('Order', key))).toBeLessThanOrEqual(1024);
    },
  );

  test('says when that was', () => {
    expect(restoredAt(restoredMark(now - 5), now)).toBe(now - 5);
  });

  test.each(['', '{}', '{"at":"yesterday"}', '{"at":-1}', 'null'])(
    'says that it was just now where it cannot be read: %s',
    (mark) => {
      expect(restoredAt(mark, now)).toBe(now);
    },
  );
});
