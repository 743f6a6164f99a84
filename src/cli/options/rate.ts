import { InvalidArgumentError } from 'commander';

/** So many a second, above 0, as an option's value. */
export function rate(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('Expected a number above 0.');
}
