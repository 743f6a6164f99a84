import { describe, expect, test } from 'vitest';
import { canonicalNumber } from '../../../src/model/items/attribute-value.ts';
import { addDecimals, isStorable, meanOf } from '../../../src/model/items/decimal.ts';

describe('decimals', () => {
  test.each([
    ['0.1', '0.2', '0.3'],
    ['99999999999999999999999999999999999999', '1', '1e38'],
    ['12345678901234567890.12345678', '0.00000001', '12345678901234567890.12345679'],
    ['1e125', '-1e125', '0'],
    ['-5', '3', '-2'],
  ])('add %s and %s exactly', (one, other, sum) => {
    expect(canonicalNumber(addDecimals(one, other))).toBe(canonicalNumber(sum));
  });

  test.each<[string, number, number, string]>([
    ['14', 3, 2, '4.67'],
    ['-5', 2, 0, '-3'],
    ['-0.001', 1, 2, '0'],
    ['2', 3, 20, '0.66666666666666666667'],
    // Just below a half: to round it to some more decimals first would make it one.
    ['1.499999999999999999999', 3, 0, '0'],
  ])('of the sum %s of %i have a mean of %i decimals, rounded once: %s', (sum, count, digits, mean) => {
    expect(meanOf(sum, count, digits)).toBe(mean);
  });

  test.each([
    ['99999999999999999999999999999999999999', true],
    ['999999999999999999999999999999999999999', false],
    ['1e125', true],
    ['1e126', false],
    ['1e-130', true],
    ['1e-131', false],
    ['0', true],
    ['-0.000', true],
  ])('of %s: stored by DynamoDB %s', (number, stored) => {
    expect(isStorable(number)).toBe(stored);
  });
});
