import { Big } from 'big.js';
import { canonicalNumber, maxNumberLength } from './attribute-value.ts';

/** The digits of a number in DynamoDB, and the exponents of its first digit. Source: AWS, "Quotas", numbers. */
const maxDigits = 38;
const maxExponent = 125;
const minExponent = -130;

/** The exact sum of two numbers in DynamoDB's form, however many digits it has. */
export function addDecimals(one: string, other: string): string {
  return new Big(one).plus(other).toString();
}

/** Divides to one decimal more than a mean may have, and cuts the others off: what is rounded twice may be wrong. */
const Quotient = Big();
Quotient.DP = 21;
Quotient.RM = Big.roundDown;

/**
 * The mean of so many numbers, rounded half up to this many decimals.
 * @param sum of the numbers
 */
export function meanOf(sum: string, count: number, digits: number): string {
  return new Quotient(sum).div(count).round(digits, Big.roundHalfUp).toString();
}

export function negated(number: string): string {
  return new Big(number).neg().toString();
}

/** Below 0 if the first number is less, above 0 if it is greater. */
export function compareDecimals(one: string, other: string): number {
  return new Big(one).cmp(other);
}

/** Of numbers that are added: how many there may be, and how many decimals each may have. */
export interface Summands {
  readonly most: number;
  readonly decimals: number;
}

/** Whether DynamoDB stores the sum of so many numbers like this one exactly, whatever they are. */
export function isSummable(number: string, { most, decimals }: Summands): boolean {
  const value = new Big(number);
  return (
    value
      .abs()
      .times(most)
      .lt(`1e${maxDigits - decimals}`) && value.c.length - 1 - value.e <= decimals
  );
}

/** Whether DynamoDB stores this number exactly: it is finite, and has not too many digits. */
export function isStorable(number: string): boolean {
  if (!Number.isFinite(Number(number))) return false;
  const { e, c } = new Big(canonicalNumber(number));
  return c.length <= maxDigits && e <= maxExponent && e >= minExponent;
}

const plain = /^(0|-?[1-9]\d{0,36})$/;
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The one spelling of a number without an exponent, with all its digits; undefined for what DynamoDB does not store. */
export function plainNumber(text: string): string | undefined {
  if (plain.test(text)) return text;
  if (text.length > maxNumberLength || !decimal.test(text) || !isStorable(text)) return undefined;
  const number = new Big(canonicalNumber(text));
  return number.eq(0) ? '0' : number.toFixed();
}
