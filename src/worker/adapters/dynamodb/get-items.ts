import {
  BatchGetItemCommand,
  GetItemCommand,
  type AttributeValue as SdkValue,
} from '@aws-sdk/client-dynamodb';
import { allSettledOrThrow } from '../../../model/basics/all-settled-or-throw.ts';
import { chunksOf } from '../../../model/basics/chunks-of.ts';
import { TransientError } from '../../../model/basics/errors.ts';
import {
  type ItemKey,
  isLegalKey,
  type KeyedItem,
  keyAttributes,
  keyText,
} from '../../../model/items/item.ts';
import { itemSize } from '../../../model/items/item-size.ts';
import type { ReadOptions } from '../../ports.ts';
import { untilNoneLeft } from '../../retry.ts';
import { awsCall } from '../aws-errors.ts';
import { fromSdk, keyedFrom, type TableAccess, tellUnits, withUnits } from './table-access.ts';

/** Keys that a request takes. Source: AWS, "BatchGetItem". */
export const keysPerRequest = 100;

/** A response with more bytes leaves keys because their items are large. */
const fewBytes = 1024 ** 2;

/** Strongly consistent. No item can have an invalid key. */
export async function getItem(
  { client, tableName: TableName, table }: TableAccess,
  key: ItemKey,
  { onSpent }: ReadOptions = {},
): Promise<KeyedItem | undefined> {
  if (!isLegalKey(table, key)) return undefined;
  const request = { TableName, Key: keyAttributes(table, key), ConsistentRead: true };
  const command = new GetItemCommand({ ...request, ...withUnits(onSpent) });
  const answer = await awsCall(`GetItem of table ${TableName}`, () => client.send(command));
  tellUnits(onSpent, answer.ConsumedCapacity);
  return answer.Item && { key, item: fromSdk(answer.Item) };
}

export async function getItems(
  access: TableAccess,
  keys: readonly ItemKey[],
  options: ReadOptions = {},
): Promise<readonly KeyedItem[]> {
  const legal = keys.filter((key) => isLegalKey(access.table, key));
  const distinct = [...new Map(legal.map((key) => [keyText(key), key])).values()];
  const [first] = distinct;
  if (first === undefined) return [];
  if (distinct.length === 1) {
    const item = await getItem(access, first, options);
    return item === undefined ? [] : [item];
  }
  const pages = await allSettledOrThrow(
    chunksOf(distinct, keysPerRequest).map((chunk) => getChunk(access, chunk, options)),
  );
  return pages.flat();
}

/** @throws TransientError `table.unprocessed-keys` */
async function getChunk(
  access: TableAccess,
  chunk: readonly ItemKey[],
  { onUnread, onSpent }: ReadOptions,
): Promise<KeyedItem[]> {
  const { client, limit, tableName, table } = access;
  const what = `BatchGetItem of table ${tableName}`;
  const items: KeyedItem[] = [];
  let pending: Record<string, SdkValue>[] = chunk.map((key) => keyAttributes(table, key));
  const remaining = await untilNoneLeft(access.backOff, pending.length, async () => {
    const request = new BatchGetItemCommand({
      RequestItems: { [tableName]: { Keys: pending, ConsistentRead: true } },
      ...withUnits(onSpent),
    });
    const answer = await awsCall(what, () => limit(() => client.send(request)));
    const { Responses = {}, UnprocessedKeys = {}, ConsumedCapacity } = answer;
    tellUnits(onSpent, ConsumedCapacity);
    for (const attributes of Object.values(Responses).flat()) items.push(keyedFrom(access, attributes));
    pending = Object.values(UnprocessedKeys).flatMap(({ Keys = [] }) => Keys);
    if (onUnread !== undefined && pending.length > 0 && bytesIn(items) > fewBytes)
      onUnread(pending.splice(0).map((unread) => keyedFrom(access, unread).key));
    return pending.length;
  });
  if (remaining === 0) return items;
  throw new TransientError(
    'table.unprocessed-keys',
    `${what} left ${remaining} keys unread in ${access.backOff.attempts} attempts: it may be tried again later`,
  );
}

function bytesIn(items: readonly KeyedItem[]): number {
  return items.reduce((sum, { item }) => sum + itemSize(item), 0);
}
