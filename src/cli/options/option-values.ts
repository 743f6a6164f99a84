import { InvalidArgumentError } from 'commander';

/** Parses capacity units per second: a number above 0, or `unlimited`. */
export function unitsOption(text: string): number {
  if (text === 'unlimited') return Number.POSITIVE_INFINITY;
  const units = Number(text);
  if (text.trim() !== '' && Number.isFinite(units) && units > 0) return units;
  throw new InvalidArgumentError("Expected units per second, a number above 0 such as 100, or 'unlimited'.");
}

/** Parses a percentage of the table as a fraction. */
export function shareOption(text: string): number {
  const share = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (share !== undefined && Number(share) > 0 && Number(share) <= 100) return Number(share) / 100;
  throw new InvalidArgumentError(
    'Expected a share of the table such as 1% or 0.5%, above 0% and at most 100%.',
  );
}

/** Parses a number of seconds, 0 or more. */
export function secondsOption(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new InvalidArgumentError('Expected seconds, a number from 0 up.');
}

/** Parses a whole number, 1 or more. */
export function countOption(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError('Expected a whole number from 1 up.');
}

/** Parses a rate per second, above 0. */
export function rate(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('Expected a number above 0.');
}
