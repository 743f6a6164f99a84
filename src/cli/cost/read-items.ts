import * as z from 'zod';
import { readItem } from '../../model/dynamodb-json.ts';
import type { Item } from '../../model/item.ts';
import { keyOf } from '../../model/item.ts';
import { type AnyKind, isOfKind } from '../../model/kind.ts';
import type { TableNames } from '../../model/table-names.ts';
import { UsageError } from '../errors.ts';
import { readJson } from '../options/arguments.ts';

const wrapped = z.object({ Item: z.unknown() });

/**
 * Reads an item of a kind from a file: DynamoDB JSON, or output of `aws dynamodb get-item`.
 * @throws UsageError `usage.file` if the file does not contain one, `usage.item` if the item is of another kind
 */
export async function readItemFile(table: TableNames, kind: AnyKind, file: string): Promise<Item> {
  const json = await readJson(file, 'an item');
  const item = readItem(wrapped.safeParse(json).data?.Item ?? json);
  if (item === undefined)
    throw new UsageError(
      'usage.file',
      `Expected ${file} to contain an item in DynamoDB JSON such as {"${table.pk}":{"S":"…"},…}, found other JSON: write what \`aws dynamodb get-item\` prints`,
    );
  if (keyOf(table, item) !== undefined && isOfKind(table, kind, item)) return item;
  throw new UsageError(
    'usage.item',
    `Expected ${file} to contain an item of kind ${kind.name} (${kind.pkPattern.pattern} / ${kind.skPattern.pattern}), found an item with another key or type: name another item, or another rule`,
  );
}
