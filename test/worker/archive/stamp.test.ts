import { expect, test } from 'vitest';
import { isStampOf, readStamps, stampsOf, stampsText } from '../../../src/worker/archive/stamp.ts';

const [first, second] = ['1'.repeat(64), '2'.repeat(64)];

test('a replaced state is added to the states before it, newest first', () => {
  const previousStates = stampsOf({ sequence: 10n, digest: first });
  const stamps = stampsOf({ sequence: 20n, digest: second, previousStates });

  expect(stamps.map(({ sequence }) => sequence)).toEqual([20n, 10n]);
  expect(stamps.map((stamp) => [isStampOf(stamp, first), isStampOf(stamp, second)])).toEqual([
    [false, true],
    [true, false],
  ]);
});

test('an object of another program is omitted', () => {
  expect(stampsOf({ sequence: 0n, digest: undefined })).toEqual([]);
});

test('the text of stamps can be read back, and holds as many of the newest as fit', () => {
  const stamps = [12n, 11n, 10n].flatMap((sequence) => stampsOf({ sequence, digest: first }));

  expect(readStamps(stampsText(stamps, 1_000))).toEqual(stamps);
  expect(readStamps(stampsText(stamps, 71))).toEqual(stamps.slice(0, 2));
  expect(stampsText(stamps, 30)).toBe('');
});

const hex = 'a'.repeat(32);
test.each(['', 'x', '1:2', `1:${'g'.repeat(32)}`, `x1:${hex}`, `1:${hex}a`, `:${hex}`])(
  'an invalid stamp is not read: %j',
  (text) => {
    expect(readStamps(text)).toEqual([]);
  },
);
