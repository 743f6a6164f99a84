import {
  type ConsumedCapacity,
  QueryCommand,
  type QueryCommandInput,
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

/** A partition, its sort keys with a prefix, or those before another. */
type Range = Pick<QueriedRange, 'pk' | 'begins' | 'before'>;

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
  access: TableLocation,
  location: QueriedRange,
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

function indexOf({ table, tableName }: TableLocation, { index }: { readonly index: string }): IndexNames {
  const named = indexNamed(table, index);
  if (named !== undefined) return named;
  throw new FatalError(
    'table.no-index',
    `Expected an index of table ${tableName} among ${Object.keys(table.indexes).join(', ')}, got ${JSON.stringify(index)}`,
  );
}

async function queryPage(
  { client, tableName: TableName }: TableLocation,
  range: Range,
  keys: KeyNames,
  request: Omit<QueryCommandInput, 'TableName'>,
): Promise<Page<Item>> {
  const { pk, begins = '' } = range;
  // No item can have an invalid key, and DynamoDB would refuse the query.
  if (!isLegalKeyPart(pk, maxPkBytes) || (begins !== '' && !isLegalKeyPart(begins, maxSkBytes)))
    return { entries: [], next: undefined };
  const condition = keyCondition(keys, range);
  const command = new QueryCommand({
    ...{ ...request, ...condition, TableName, ReturnConsumedCapacity: 'TOTAL' },
    ExpressionAttributeNames: {
      ...request.ExpressionAttributeNames,
      ...condition.ExpressionAttributeNames,
    },
  });
  return pageOf('Query', TableName, () => client.send(command));
}

/** A scan of the table in DynamoDB. Needs `dynamodb:Scan` on the table. */
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

/** The condition of a query for a range. */
function keyCondition(keys: KeyNames, { pk, begins = '', before }: Range) {
  const [ofSk, value] =
    before !== undefined
      ? [' AND #sk < :sk', before]
      : begins !== ''
        ? [' AND begins_with(#sk, :sk)', begins]
        : ['', undefined];
  return {
    KeyConditionExpression: `#pk = :pk${ofSk}`,
    ExpressionAttributeNames: { '#pk': keys.pk, ...(value !== undefined && { '#sk': keys.sk }) },
    ExpressionAttributeValues: { ':pk': { S: pk }, ...(value !== undefined && { ':sk': { S: value } }) },
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
function startOf(from: Cursor | undefined): { ExclusiveStartKey?: Record<string, SdkValue> } {
  const entries = Object.entries(from ?? {});
  return entries.length === 0
    ? {}
    : { ExclusiveStartKey: Object.fromEntries(entries.map(([name, S]) => [name, { S }])) };
}

/** The start of the next page, in the format of messages and resume files. */
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
