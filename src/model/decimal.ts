import { Big } from 'big.js';
import { canonicalNumber } from './attribute-value.ts';

/** The digits of a number in DynamoDB, and the exponents of its first digit. Source: AWS, "Quotas", numbers. */
const maxDigits = 38;
const maxExponent = 125;
const minExponent = -130;

/** The exact sum of two numbers in DynamoDB's form, however many digits it has. */
export function addDecimals(one: string, other: string): string {
  return new Big(one).plus(other).toString();
}

/** Below 0 if the first number is less, above 0 if it is greater. */
export function compareDecimals(one: string, other: string): number {
  return new Big(one).cmp(other);
}

/** Whether DynamoDB stores the sum of so many numbers like this one exactly, whatever they are. */
export function isSummable(number: string, most: number): boolean {
  const value = new Big(number);
  return value.abs().times(most).lt('1e18') && value.c.length - 1 - value.e <= 20;
}

export function isStorable(number: string): boolean {
  const { e, c } = new Big(canonicalNumber(number));
  return c.length <= maxDigits && e <= maxExponent && e >= minExponent;
}
