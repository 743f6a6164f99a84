import { InvalidArgumentError } from 'commander';
import { maxItem } from '../../model/items/item-size.ts';

export function unitsOption(text: string): number {
  if (text === 'unlimited') return Number.POSITIVE_INFINITY;
  const units = Number(text);
  if (text.trim() !== '' && Number.isFinite(units) && units > 0) return units;
  throw new InvalidArgumentError("Expected units per second, a number above 0 such as 100, or 'unlimited'.");
}

export function shareOption(text: string): number {
  const share = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (share !== undefined && Number(share) > 0 && Number(share) <= 100) return Number(share) / 100;
  throw new InvalidArgumentError(
    'Expected a share of the table such as 1% or 0.5%, above 0% and at most 100%.',
  );
}

export const secondsOption = numberOption('seconds, a number from 0 up', (seconds) => seconds >= 0);

export const seedOption = numberOption(
  'a whole number from 0 up',
  (seed) => Number.isSafeInteger(seed) && seed >= 0,
);

export const countOption = numberOption(
  'a whole number from 1 up',
  (count) => Number.isSafeInteger(count) && count >= 1,
);

export const rate = numberOption('a number above 0', (value) => value > 0);

export const portNumber = numberOption(
  'a port from 1 to 65535',
  (port) => Number.isInteger(port) && port >= 1 && port <= 65_535,
);

function numberOption(expected: string, isValid: (number: number) => boolean): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isFinite(number) && isValid(number)) return number;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}

/** The earliest time that a stream may still hold, before now. Source: AWS, "DynamoDB Streams", data retention limit. */
export const streamKeepsMs = 24 * 3_600_000;

/** `14:00`, of today or yesterday and local; `2h`, `90m`; or a time in ISO 8601. In epoch milliseconds. */
export function sinceOption(text: string): number {
  const now = Date.now();
  const [, number, unit] = /^(\d+(?:\.\d+)?)(m|h)$/.exec(text) ?? [];
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  const at =
    number !== undefined
      ? now - Number(number) * (unit === 'h' ? 3_600_000 : 60_000)
      : hours !== undefined
        ? lastTime(Number(hours), Number(minutes), now)
        : /^\d{4}-\d\d-\d\d/.test(text)
          ? Date.parse(text)
          : Number.NaN;
  if (at <= now && at >= now - streamKeepsMs) return at;
  throw new InvalidArgumentError(
    'Expected a time of the last 24 hours, which is as long as a stream keeps records: 14:00, 2h, 90m, or one such as 2026-01-31T14:00:00Z. What is older, `denorm repair` and `denorm backfill` put right.',
  );
}

function lastTime(hours: number, minutes: number, now: number): number {
  const today = new Date(now).setHours(hours, minutes, 0, 0);
  return today <= now ? today : new Date(today).setDate(new Date(today).getDate() - 1);
}

/** `1,5,500`: each once, in their order. */
export function countsOption(text: string): readonly number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.every((number) => Number.isSafeInteger(number) && number >= 1)) return [...new Set(numbers)];
  throw new InvalidArgumentError('Expected whole numbers from 1 up, separated by commas, such as 1,5,500.');
}

/** `1KB`, `2.5KB`, or bytes such as `700`. */
export function itemSizeOption(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(B|KB)?$/i.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (unit?.toUpperCase() === 'KB' ? 1024 : 1));
  if (bytes >= 1 && bytes <= maxItem) return bytes;
  throw new InvalidArgumentError('Expected the size of an item such as 1KB or 700, up to 400KB.');
}
