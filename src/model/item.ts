import * as z from 'zod';
import type { AttributeValue } from './attribute-value.ts';
import { DenormError, InvalidItemError } from './errors.ts';
import type { TableNames } from './table-names.ts';

export type Item = Readonly<Record<string, AttributeValue>>;

export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

export const itemKeySchema = z.object({ pk: z.string(), sk: z.string() });

/** The longest partition key and sort key that DynamoDB accepts, in UTF-8 bytes. Source: AWS, "Quotas". */
export const maxPkBytes = 2048;
export const maxSkBytes = 1024;

/** Inherited properties do not count, because an attribute may be called `constructor`. */
export function attribute(item: Item, name: string): AttributeValue | undefined {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

export function keyOf(table: TableNames, item: Item): ItemKey | undefined {
  const pk = text(attribute(item, table.pk));
  const sk = text(attribute(item, table.sk));
  return pk === undefined || sk === undefined ? undefined : { pk, sk };
}

/** The key of an item that must have one, as every item of a table does. @throws DenormError `item.keyless` */
export function keyIn(table: TableNames, item: Item): ItemKey {
  const key = keyOf(table, item);
  if (key !== undefined) return key;
  throw new DenormError(
    'item.keyless',
    `Expected an item with the key attributes ${table.pk} and ${table.sk}, both text, got one without`,
  );
}

export function keyAttributes(
  table: Pick<TableNames, 'pk' | 'sk'>,
  key: ItemKey,
): Readonly<Record<string, { S: string }>> {
  return { [table.pk]: { S: key.pk }, [table.sk]: { S: key.sk } };
}

/** An entry without a key is not of this table. */
export function keysIn(table: TableNames, entries: readonly Item[]): ItemKey[] {
  return entries.flatMap((entry) => keyOf(table, entry) ?? []);
}

/** The same for two keys only if they are equal: either part may contain any separator. */
export function keyText(key: ItemKey): string {
  return JSON.stringify([key.pk, key.sk]);
}

export function byKeyText(table: TableNames, items: readonly Item[]): Map<string, Item> {
  return new Map(items.map((item) => [keyText(keyIn(table, item)), item]));
}

export function sameKey(a: ItemKey, b: ItemKey): boolean {
  return a.pk === b.pk && a.sk === b.sk;
}

export function isLegalKey(key: ItemKey): boolean {
  return isLegalKeyPart(key.pk, maxPkBytes) && isLegalKeyPart(key.sk, maxSkBytes);
}

export function isLegalKeyPart(part: string, longest: number): boolean {
  return part !== '' && Buffer.byteLength(part) <= longest;
}

export function text(value: AttributeValue | undefined): string | undefined {
  return value !== undefined && 'S' in value ? value.S : undefined;
}

/** The same error with the item's key in its message, for reports that name another item. */
export function withKey(table: TableNames, error: InvalidItemError): InvalidItemError {
  const { concerns, code, message, rule, key, attribute } = error;
  if (key === undefined) return error;
  const text = JSON.stringify({ [table.pk]: key.pk, [table.sk]: key.sk });
  return new InvalidItemError(concerns, code, `${concerns} ${text}: ${message}`, {
    key,
    ...(rule !== undefined && { rule }),
    ...(attribute !== undefined && { attribute }),
    cause: error,
  });
}
