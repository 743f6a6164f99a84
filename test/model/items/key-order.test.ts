import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byBytes } from '../../../src/model/items/key-order.ts';
import { anyText } from '../../fixtures/model/arbitraries.ts';

test('sort keys are in the order of their UTF-8 bytes, which is not that of JavaScript', () => {
  expect(['😀', '\uffee', 'é', 'z', 'a', '', 'ab'].toSorted(byBytes)).toEqual([
    ...['', 'a', 'ab', 'z', 'é', '\uffee', '😀'],
  ]);
});

test('any two texts are in the order of their UTF-8 bytes', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      expect(Math.sign(byBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
