import { equal } from './attribute-value.ts';
import { attribute, type Item, type ItemKey } from './item.ts';

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

/** The item as the change leaves it; as it was, if the change removes it. */
export function imageOf({ before, after }: Pick<Partial<Change>, 'before' | 'after'>): Item | undefined {
  return after ?? before;
}

/** The names of the attributes in which two images of an item differ, sorted: DynamoDB gives them in any order. */
export function changedNames({
  before = {},
  after = {},
}: Pick<Partial<Change>, 'before' | 'after'>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !equal(attribute(before, name), attribute(after, name))).sort();
}

/** Digits of a sequence number, of up to 40. Source: AWS, "StreamRecord". */
const numberDigits = 40;
/** Of the stream's label, the time when it was enabled: 20261123100000000. */
const labelDigits = 20;
/** Of the second when the record was made: 20261123100000. */
const secondDigits = 14;
/** Digits that identify a record: its stream and its number. */
export const recordDigits = labelDigits + numberDigits;

const perStream = 10n ** BigInt(numberDigits);
const perSecond = 10n ** BigInt(recordDigits);
const labelPerSecond = 10n ** BigInt(recordDigits - secondDigits);

/** Later than every record. */
export const afterAll = perSecond * 10n ** BigInt(secondDigits) - 1n;

/**
 * The digits of a record's second, of its stream's label, and of its number. Compare it by {@link isLater} and {@link isUpTo} only.
 * @param streamArn ends in `/stream/2026-11-23T10:00:00.000`
 * @param at when the record was made, in epoch milliseconds; without it, the time of the label counts
 */
export function sequenceOf(streamArn: string, sequenceNumber: string, at?: number): bigint {
  const label = digitsOf(streamArn.split('/stream/')[1] ?? '', labelDigits);
  const second = at === undefined ? '' : digitsOf(new Date(at).toISOString(), secondDigits);
  return BigInt(second + label + sequenceNumber.padStart(numberDigits, '0'));
}

function digitsOf(time: string, count: number): string {
  return time.replaceAll(/\D/g, '').padEnd(count, '0').slice(0, count);
}

/** Without its second: the same each time a record is delivered. */
export function recordId(sequence: bigint): bigint {
  return sequence % perSecond;
}

export function isSameStream(a: bigint, b: bigint): boolean {
  return recordId(a) / perStream === recordId(b) / perStream;
}

function secondOf(sequence: bigint): bigint {
  return sequence / perSecond || recordId(sequence) / labelPerSecond;
}

/** When the record was made, to the second, in epoch milliseconds; undefined if its sequence does not say. */
export function recordedAt(sequence: bigint): number | undefined {
  const time = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(String(sequence / perSecond));
  if (time === null) return undefined;
  const [year = 0, month = 1, ...others] = time.slice(1).map(Number);
  return Date.UTC(year, month - 1, ...others);
}

/**
 * Of records of one item: in one stream, the one with the higher number. Numbers of two streams say nothing of each other, and
 * labels only when each was enabled, so there it is the one that was made in a later second: a stack may return to a table.
 */
export function isLater(a: bigint, b: bigint): boolean {
  return isSameStream(a, b) ? recordId(a) > recordId(b) : secondOf(a) > secondOf(b);
}

/** Whether it is that record or an earlier one. Of two streams in one second, neither is. */
export function isUpTo(sequence: bigint, last: bigint): boolean {
  return recordId(sequence) === recordId(last) || isLater(last, sequence);
}

/** Oldest first. The records of a stream keep their order even if its clock was set back. */
export function inSequence<Recorded extends { readonly sequence?: bigint | undefined }>(
  records: readonly Recorded[],
): readonly Recorded[] {
  const each = records.map((record) => ({ record, sequence: record.sequence ?? 0n, second: 0n }));
  each.sort((a, b) => order(recordId(a.sequence), recordId(b.sequence)));
  for (const [index, one] of each.entries()) {
    const before = each[index - 1];
    one.second = secondOf(one.sequence);
    if (before !== undefined && isSameStream(before.sequence, one.sequence) && before.second > one.second)
      one.second = before.second;
  }
  return each.sort((a, b) => order(a.second, b.second)).map(({ record }) => record);
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface Unreadable {
  readonly unreadable: string;
  readonly record: string;
  /** Present if it reports the end of an item with an image, which may be the last there is. */
  readonly lastImage?: true;
}
