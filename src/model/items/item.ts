import * as z from 'zod/mini';
import { DenormError, InvalidItemError } from '../basics/errors.ts';
import type { AttributeValue } from './attribute-value.ts';
import { plainNumber } from './decimal.ts';
import { type KeyNames, type KeyPart, keyParts } from './table-names.ts';

export type Item = Readonly<Record<string, AttributeValue>>;

/**
 * As text, which is equal for two keys if and only if DynamoDB takes them for one: numbers are plain decimals, all their digits
 * without an exponent. Without a sort key, `sk` is empty.
 */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** An item with its key, which is computed once: where the item is read. Of an entry of an index, the key of the table's item. */
export interface KeyedItem {
  readonly key: ItemKey;
  readonly item: Item;
}

export const itemKeySchema = z.object({ pk: z.string(), sk: z.string() });

/** Inherited properties do not count, because an attribute may be called `constructor`. */
export function attribute(item: Item, name: string): AttributeValue | undefined {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

/** The text of a key attribute; undefined for a value of another type. */
export function partText({ type }: KeyPart, value: AttributeValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (type === 'S') return 'S' in value ? value.S : undefined;
  return 'N' in value ? plainNumber(value.N) : undefined;
}

export function partValue({ type }: KeyPart, text: string): { S: string } | { N: string } {
  return type === 'S' ? { S: text } : { N: text };
}

export function keyOf(table: KeyNames, item: Item): ItemKey | undefined {
  const [ofPk, ofSk] = keyParts(table).all;
  const pk = ofPk && partText(ofPk, attribute(item, ofPk.name));
  const sk = ofSk === undefined ? '' : partText(ofSk, attribute(item, ofSk.name));
  return pk === undefined || sk === undefined ? undefined : { pk, sk };
}

/**
 * The key of an item that must have one, as every item of a table does.
 * @throws DenormError `item.keyless`
 */
export function keyIn(table: KeyNames, item: Item): ItemKey {
  const key = keyOf(table, item);
  if (key !== undefined) return key;
  throw new DenormError('item.keyless', `Expected an item with ${keyWords(table)}, got one without`);
}

/** @throws DenormError `item.keyless` */
export function keyed(table: KeyNames, item: Item): KeyedItem {
  return { key: keyIn(table, item), item };
}

/** `the key attributes PK and SK, both text`, `the key attributes device (text) and at (a number)` */
export function keyWords(table: KeyNames): string {
  const { all } = keyParts(table);
  if (all.length === 2 && all.every(({ type }) => type === 'S'))
    return `the key attributes ${all.map(({ name }) => name).join(' and ')}, both text`;
  const words = all.map(({ name, type }) => `${name} (${type === 'S' ? 'text' : 'a number'})`);
  return `the key attribute${all.length === 1 ? '' : 's'} ${words.join(' and ')}`;
}

/** `a partition key of 1 to 2048 bytes and a sort key of 1 to 1024` */
export function legalKeyWords(table: KeyNames): string {
  const words = keyParts(table).all.map(({ type, longest }, index) =>
    type === 'N'
      ? `a ${index === 0 ? 'partition' : 'sort'} key that is a number of at most 38 digits`
      : `a ${index === 0 ? 'partition' : 'sort'} key of 1 to ${longest}${index === 0 ? ' bytes' : ''}`,
  );
  return words.join(' and ');
}

type PartValue = ReturnType<typeof partValue>;

/** Names and values, in the order of the key. */
export function keyEntries(table: KeyNames, key: ItemKey): (readonly [string, PartValue])[] {
  return keyParts(table).all.map((part, index) => [
    part.name,
    partValue(part, index === 0 ? key.pk : key.sk),
  ]);
}

export function keyAttributes(table: KeyNames, key: ItemKey): Readonly<Record<string, PartValue>> {
  return Object.fromEntries(keyEntries(table, key));
}

/** The same for two keys only if they are equal: either part may contain any separator. */
export function keyText(key: ItemKey): string {
  return JSON.stringify([key.pk, key.sk]);
}

/** Finds one of these items by its key. */
export function byKey(items: readonly KeyedItem[]): (key: ItemKey) => KeyedItem | undefined {
  const byText = new Map(items.map((one) => [keyText(one.key), one]));
  return (key) => byText.get(keyText(key));
}

export function sameKey(a: ItemKey, b: ItemKey): boolean {
  return a.pk === b.pk && a.sk === b.sk;
}

export function isLegalKey(table: KeyNames, key: ItemKey): boolean {
  const [ofPk, ofSk] = keyParts(table).all;
  return isLegalPart(ofPk, key.pk) && (ofSk === undefined ? key.sk === '' : isLegalPart(ofSk, key.sk));
}

/** Whether DynamoDB accepts this text as the value of a key attribute. */
export function isLegalPart(part: KeyPart | undefined, text: string): boolean {
  if (part === undefined || text === '') return false;
  return part.type === 'N' ? plainNumber(text) === text : Buffer.byteLength(text) <= part.longest;
}

export function text(value: AttributeValue | undefined): string | undefined {
  return value !== undefined && 'S' in value ? value.S : undefined;
}

/** The same error with the item's key in its message, for reports that name another item. */
export function withKey(table: KeyNames, error: InvalidItemError): InvalidItemError {
  const { concerns, code, message, rule, key, attribute } = error;
  if (key === undefined) return error;
  const text = keyAsJson(table, key);
  return new InvalidItemError(concerns, code, `${concerns} ${text}: ${message}`, {
    key,
    ...(rule !== undefined && { rule }),
    ...(attribute !== undefined && { attribute }),
    cause: error,
  });
}

/** As JSON with the names of the attributes, numbers with all their digits: `{"device":"d1","at":1764028800}`. */
export function keyAsJson(table: KeyNames, { pk, sk }: ItemKey): string {
  const texts = [pk, sk];
  const parts = keyParts(table).all.map(({ name, type }, index) => {
    const text = texts[index] ?? '';
    return `${JSON.stringify(name)}:${type === 'N' && text !== '' ? text : JSON.stringify(text)}`;
  });
  return `{${parts.join()}}`;
}
