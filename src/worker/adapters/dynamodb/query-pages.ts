import {
  QueryCommand,
  type QueryCommandInput,
  type AttributeValue as SdkValue,
} from '@aws-sdk/client-dynamodb';
import { indexNamed, type QueriedLocation } from '../../../model/copy-location.ts';
import { FatalError } from '../../../model/errors.ts';
import { type Item, isLegalKeyPart, maxPkBytes, maxSkBytes } from '../../../model/item.ts';
import type { Cursor } from '../../../model/message.ts';
import type { IndexNames, TableNames } from '../../../model/table-names.ts';
import type { Page } from '../../ports.ts';
import { fromAws } from '../aws-errors.ts';
import { fromSdk } from './sdk-values.ts';
import type { TableAccess } from './table-access.ts';

/** A partition, or its sort keys with a prefix. */
type Range = Pick<QueriedLocation, 'pk' | 'begins'>;

/** The names of the key attributes of the table, or of an index. */
type KeyNames = Pick<IndexNames, 'pk' | 'sk'>;

/** The page to read. */
interface PageOf {
  readonly limit: number;
  readonly from?: Cursor | undefined;
  readonly whole?: boolean | undefined;
}

/**
 * One page of a partition of the table, strongly consistent, or of an index, whose entries may appear late and disappear late.
 * An empty page is not necessarily the last. DynamoDB refuses to select all attributes of an index that projects less, so a
 * wrong declaration cannot pass off part of an item as all of it. Source: AWS, "Query", Select.
 */
export async function query(
  access: TableAccess,
  location: QueriedLocation,
  { limit, from, whole = false }: PageOf,
): Promise<Page<Item>> {
  const { table } = access;
  if (location.in === 'partition') {
    const start = startIn(table, table, location, from);
    return queryPage(access, location, table, { Limit: limit, ConsistentRead: true, ...start });
  }
  const index = indexOf(access, location);
  return queryPage(access, location, index, {
    IndexName: index.name,
    Limit: limit,
    ...(whole
      ? { Select: 'ALL_ATTRIBUTES' }
      : {
          ProjectionExpression: '#tablePk, #tableSk',
          ExpressionAttributeNames: { '#tablePk': table.pk, '#tableSk': table.sk },
        }),
    ...startIn(table, index, location, from),
  });
}

function indexOf({ table, tableName }: TableAccess, { index }: { readonly index: string }): IndexNames {
  const named = indexNamed(table, index);
  if (named !== undefined) return named;
  throw new FatalError(
    'table.no-index',
    `Expected an index of table ${tableName} among ${Object.keys(table.indexes).join(', ')}, got ${JSON.stringify(index)}`,
  );
}

async function queryPage(
  access: TableAccess,
  { pk, begins = '' }: Range,
  keys: KeyNames,
  request: Omit<QueryCommandInput, 'TableName'>,
): Promise<Page<Item>> {
  // No item can have an invalid key, and DynamoDB would refuse the query.
  if (!isLegalKeyPart(pk, maxPkBytes) || (begins !== '' && !isLegalKeyPart(begins, maxSkBytes)))
    return { entries: [], next: undefined };
  const { client, tableName: TableName } = access;
  const condition = keyCondition(keys, { pk, begins });
  const ExpressionAttributeNames = {
    ...request.ExpressionAttributeNames,
    ...condition.ExpressionAttributeNames,
  };
  const query = new QueryCommand({ ...request, TableName, ...condition, ExpressionAttributeNames });
  try {
    const { Items = [], LastEvaluatedKey } = await client.send(query);
    return { entries: Items.map(fromSdk), next: cursorOf(LastEvaluatedKey, TableName) };
  } catch (error) {
    throw fromAws(error, `Query of table ${TableName}`);
  }
}

/** The condition of a query for a partition, or for the sort keys in it with a prefix. */
export function keyCondition(keys: KeyNames, { pk, begins = '' }: Range) {
  return {
    KeyConditionExpression: begins === '' ? '#pk = :pk' : '#pk = :pk AND begins_with(#sk, :begins)',
    ExpressionAttributeNames: { '#pk': keys.pk, ...(begins !== '' && { '#sk': keys.sk }) },
    ExpressionAttributeValues: { ':pk': { S: pk }, ...(begins !== '' && { ':begins': { S: begins } }) },
  };
}

/**
 * The start of a page of a range. DynamoDB refuses a key of another range, and one from before the keys of table or index
 * changed: then the range begins anew.
 */
function startIn(table: TableNames, keys: KeyNames, { pk, begins = '' }: Range, from: Cursor = {}) {
  const names = new Set([table.pk, table.sk, keys.pk, keys.sk]);
  const isInRange = from[keys.pk] === pk && from[keys.sk]?.startsWith(begins) === true;
  const isWhole = Object.keys(from).length === names.size && [...names].every((name) => from[name]);
  return startOf(isInRange && isWhole ? from : undefined);
}

/** The start of a page, in DynamoDB's format. */
export function startOf(from: Cursor | undefined): { ExclusiveStartKey?: Record<string, SdkValue> } {
  const entries = Object.entries(from ?? {});
  return entries.length === 0
    ? {}
    : { ExclusiveStartKey: Object.fromEntries(entries.map(([name, S]) => [name, { S }])) };
}

/** The start of the next page, in the format of messages and resume files. */
export function cursorOf(
  key: Readonly<Record<string, SdkValue>> | undefined,
  tableName: string,
): Cursor | undefined {
  if (key === undefined || Object.keys(key).length === 0) return undefined;
  return Object.fromEntries(
    Object.entries(key).map(([name, { S }]) => {
      if (S === undefined)
        throw new FatalError(
          'table.other-shape',
          `Expected the key attributes of table ${tableName} and its indexes to be strings, but ${name} is not`,
        );
      return [name, S];
    }),
  );
}
