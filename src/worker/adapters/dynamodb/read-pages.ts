import {
  type ConsumedCapacity,
  QueryCommand,
  ScanCommand,
  type AttributeValue as SdkValue,
} from '@aws-sdk/client-dynamodb';
import { indexNamed } from '../../../model/copy-location.ts';
import { FatalError } from '../../../model/errors.ts';
import { type Item, isLegalKeyPart, maxPkBytes, maxSkBytes } from '../../../model/item.ts';
import type { Cursor } from '../../../model/message.ts';
import type { IndexNames, TableNames } from '../../../model/table-names.ts';
import type { Page, QueriedRange, ScanPort } from '../../ports.ts';
import { asked } from '../aws-errors.ts';
import { fromSdk } from './sdk-values.ts';
import type { TableLocation } from './table-access.ts';

type KeyNames = Pick<IndexNames, 'pk' | 'sk'>;

/**
 * An empty page is not necessarily the last. DynamoDB refuses to select all attributes of an index that projects less, so a
 * wrong declaration cannot pass off part of an item as all of it. Source: AWS, "Query", Select.
 */
export async function query(
  location: TableLocation,
  range: QueriedRange,
  limit: number,
  from: Cursor | undefined,
  whole = false,
): Promise<Page<Item>> {
  const { client, tableName: TableName, table } = location;
  const index = range.in === 'index' ? indexOf(location, range) : undefined;
  const { pk, begins = '' } = range;
  // No item can have an invalid key, and DynamoDB would refuse the query.
  if (!isLegalKeyPart(pk, maxPkBytes) || (begins !== '' && !isLegalKeyPart(begins, maxSkBytes)))
    return { entries: [], next: undefined };
  const keys: KeyNames = index ?? table;
  const { names, ...condition } = keyCondition(keys, range);
  const keysOnly = index !== undefined && !whole;
  const command = new QueryCommand({
    ...{ TableName, Limit: limit, ReturnConsumedCapacity: 'TOTAL', ...condition },
    ...startOf(isIn(table, keys, range, from) ? from : undefined),
    ...(index === undefined ? { ConsistentRead: true } : { IndexName: index.name }),
    ...(index !== undefined && whole && { Select: 'ALL_ATTRIBUTES' }),
    ...(keysOnly && { ProjectionExpression: '#tablePk, #tableSk' }),
    ExpressionAttributeNames: { ...names, ...(keysOnly && { '#tablePk': table.pk, '#tableSk': table.sk }) },
  });
  return pageOf('Query', TableName, () => client.send(command));
}

function indexOf({ table, tableName }: TableLocation, { index }: { readonly index: string }): IndexNames {
  const named = indexNamed(table, index);
  if (named !== undefined) return named;
  throw new FatalError(
    'table.no-index',
    `Expected an index of table ${tableName} among ${Object.keys(table.indexes).join(', ')}, got ${JSON.stringify(index)}`,
  );
}

/** Needs `dynamodb:Scan` on the table. */
export function dynamoDbScan({ client, tableName: TableName }: TableLocation): ScanPort {
  return {
    async scan({ index, of }, limit, from) {
      const segment = { Limit: limit, Segment: index, TotalSegments: of, ...startOf(from) };
      const command = new ScanCommand({ TableName, ...segment, ReturnConsumedCapacity: 'TOTAL' });
      const page = await pageOf('Scan', TableName, () => client.send(command));
      return { ...page, units: page.units ?? 0 };
    },
  };
}

interface Answer {
  readonly Items?: readonly Record<string, SdkValue>[] | undefined;
  readonly LastEvaluatedKey?: Readonly<Record<string, SdkValue>> | undefined;
  readonly ConsumedCapacity?: ConsumedCapacity | undefined;
}

async function pageOf(what: string, tableName: string, request: () => Promise<Answer>): Promise<Page<Item>> {
  const {
    Items = [],
    LastEvaluatedKey,
    ConsumedCapacity,
  } = await asked(`${what} of table ${tableName}`, request);
  const next = cursorOf(LastEvaluatedKey, tableName);
  return { entries: Items.map(fromSdk), next, units: ConsumedCapacity?.CapacityUnits };
}

function keyCondition(keys: KeyNames, { pk, begins = '', before }: QueriedRange) {
  const [ofSk, value] =
    before !== undefined
      ? [' AND #sk < :sk', before]
      : begins !== ''
        ? [' AND begins_with(#sk, :sk)', begins]
        : ['', undefined];
  return {
    KeyConditionExpression: `#pk = :pk${ofSk}`,
    names: { '#pk': keys.pk, ...(value !== undefined && { '#sk': keys.sk }) },
    ExpressionAttributeValues: { ':pk': { S: pk }, ...(value !== undefined && { ':sk': { S: value } }) },
  };
}

/** DynamoDB refuses a key of another range, or of keys that the table or index had before: then the range begins anew. */
function isIn(
  table: TableNames,
  keys: KeyNames,
  { pk, begins = '' }: QueriedRange,
  from: Cursor = {},
): boolean {
  const names = new Set([table.pk, table.sk, keys.pk, keys.sk]);
  const isInRange = from[keys.pk] === pk && from[keys.sk]?.startsWith(begins) === true;
  return isInRange && Object.keys(from).length === names.size && [...names].every((name) => from[name]);
}

function startOf(from: Cursor | undefined): { ExclusiveStartKey?: Record<string, SdkValue> } {
  const entries = Object.entries(from ?? {});
  return entries.length === 0
    ? {}
    : { ExclusiveStartKey: Object.fromEntries(entries.map(([name, S]) => [name, { S }])) };
}

/** In the format of messages and resume files. */
function cursorOf(
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
