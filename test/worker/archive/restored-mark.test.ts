import { describe, expect, test } from 'vitest';
import { objectKeyOf, restoredAt, restoredKeyOf, restoredMark } from '../../../src/worker/archive/object.ts';

const now = 1_800_000_000_000;

describe('the mark of a restored item', () => {
  test.each(['1', '..', 'a/b', 'bear§books', 's'.repeat(2000)])(
    'is beside the archive, under the key of its object: %s',
    (sk) => {
      const key = { pk: 'ORDER#1', sk };

      expect(restoredKeyOf('Order', key)).toBe(
        `restored/${objectKeyOf('Order', key).slice('archive/'.length)}`,
      );
      expect(Buffer.byteLength(restoredKeyOf('Order', key))).toBeLessThanOrEqual(1024);
    },
  );

  test('has the time of the restore', () => {
    expect(restoredAt(restoredMark(now - 5), now)).toBe(now - 5);
  });

  test.each(['', '{}', '{"at":"yesterday"}', '{"at":-1}', 'null'])(
    'counts as set just now if it cannot be read: %s',
    (mark) => {
      expect(restoredAt(mark, now)).toBe(now);
    },
  );
});
