import { InvalidArgumentError } from 'commander';

/** An option that counts something: a whole number from 1 up. */
export function countOption(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError('Expected a whole number from 1 up.');
}
