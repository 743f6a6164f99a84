import type { AttributeValue } from '../../../model/attribute-value.ts';
import { readItem } from '../../../model/dynamodb-json.ts';
import { DenormError } from '../../../model/errors.ts';
import { type Item, keyOf } from '../../../model/item.ts';
import type { TableNames } from '../../../model/table-names.ts';

/**
 * Reads items from JSON: a list of items, or the output of `aws dynamodb scan` or `query`. Each item is
 * DynamoDB JSON or plain JSON. Plain numbers have the precision of JavaScript's.
 * @throws DenormError `event.images` with the item's position in the list, never its content
 */
export function readImages(table: TableNames, json: unknown): readonly Item[] {
  const list = isObject(json) ? json['Items'] : json;
  if (!Array.isArray(list))
    throw new DenormError(
      'event.images',
      'Expected images as a JSON list of items, or as `aws dynamodb scan` prints them, found neither',
    );
  return list.map((entry: unknown, index) => {
    const item = readItem(entry) ?? (isObject(entry) ? plainItem(entry) : undefined);
    if (item !== undefined && keyOf(table, item) !== undefined) return item;
    const why = item === undefined ? 'is none' : `lacks ${table.pk} or ${table.sk}, as text`;
    throw new DenormError(
      'event.images',
      `Expected images to be items in DynamoDB JSON or plain JSON, but number ${index + 1} ${why}`,
    );
  });
}

function plainItem(json: Readonly<Record<string, unknown>>): Item {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(plainValue) };
  return isObject(value) ? { M: plainItem(value) } : { NULL: true };
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
