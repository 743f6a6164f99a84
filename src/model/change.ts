import type { Item, ItemKey } from './item.ts';

/** A stream record of one item. Its images prove a change; written values come from the table. */
export interface Change {
  readonly key: ItemKey;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** Orders the changes of one item: see {@link sequenceOf}. Not comparable between items. */
  readonly sequence: bigint;
  /** Whether the item was removed because its TTL had passed. */
  readonly expired: boolean;
  /** When the change was made, in epoch milliseconds, as rounded by the stream. Use it only in reports. */
  readonly at: number | undefined;
}

/** Digits of a sequence number, of up to 40, below those of the label. Source: AWS, "StreamRecord". */
const numberDigits = 40;
const labelDigits = 20;
export const sequenceDigits = labelDigits + numberDigits;

/**
 * A sequence number that knows its stream: the digits of the stream's label, then those of the number. A table's next
 * stream starts another series of numbers, but its label, the time when it was enabled, is later.
 * @param streamArn ends in `/stream/2026-11-23T10:00:00.000`. Without a label, the result is lower than any with one
 */
export function sequenceOf(streamArn: string, sequenceNumber: string): bigint {
  const label = streamArn.split('/stream/')[1] ?? '';
  const digits = label.replaceAll(/\D/g, '').padEnd(labelDigits, '0').slice(0, labelDigits);
  return BigInt(digits + sequenceNumber.padStart(numberDigits, '0'));
}

/** The changes of one item, in the order of their sequence numbers. */
export function inSequence(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => (a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0));
}

/** An invalid record: the reason and the record's id, without its content. */
export interface Unreadable {
  readonly unreadable: string;
  readonly record: string;
  /** Present if it reports the end of an item with an image, which may be the last there is. */
  readonly lastImage?: true;
}
