import type { Item, ItemKey } from './item.ts';

/** Its images prove a change; written values come from the table. */
export interface Change {
  readonly key: ItemKey;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly sequence: bigint;
  readonly expired: boolean;
  /** In epoch milliseconds, as rounded by the stream. Use it only in reports. */
  readonly at: number | undefined;
}

/** Digits of a sequence number, of up to 40, below those of the label. Source: AWS, "StreamRecord". */
const numberDigits = 40;
const labelDigits = 20;
export const sequenceDigits = labelDigits + numberDigits;

/**
 * A number that orders the changes of one item: the digits of the stream's label, the time when it was enabled, then those of
 * the number. A table's next stream starts another series of numbers.
 * @param streamArn ends in `/stream/2026-11-23T10:00:00.000`
 */
export function sequenceOf(streamArn: string, sequenceNumber: string): bigint {
  const label = streamArn.split('/stream/')[1] ?? '';
  const digits = label.replaceAll(/\D/g, '').padEnd(labelDigits, '0').slice(0, labelDigits);
  return BigInt(digits + sequenceNumber.padStart(numberDigits, '0'));
}

export function inSequence(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => (a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0));
}

export interface Unreadable {
  readonly unreadable: string;
  readonly record: string;
  /** Present if it reports the end of an item with an image, which may be the last there is. */
  readonly lastImage?: true;
}
