import {
  QueryCommand,
  type QueryCommandOutput,
  ScanCommand,
  type AttributeValue as SdkValue,
} from '@aws-sdk/client-dynamodb';
import { requireMove } from '../../../model/basics/all-pages.ts';
import { FatalError } from '../../../model/basics/errors.ts';
import {
  conditionsOf,
  indexNamed,
  isInRange,
  isLegalRange,
  isReversed,
  type QueriedLocation,
} from '../../../model/items/copy-location.ts';
import { type KeyedItem, partText, partValue } from '../../../model/items/item.ts';
import {
  type IndexNames,
  indexParts,
  type KeyNames,
  type KeyPart,
  keyParts,
  type TableNames,
} from '../../../model/items/table-names.ts';
import type { Cursor } from '../../../model/work/message.ts';
import type { Page, ScanPort } from '../../ports.ts';
import { awsCall } from '../aws-errors.ts';
import { fromSdk, keyedFrom, type TableLocation } from './table-access.ts';

/**
 * An empty page is not necessarily the last. DynamoDB refuses to select all attributes of an index that projects less, so a
 * wrong declaration cannot pass off part of an item as all of it. Source: AWS, "Query", Select.
 */
export async function query(
  location: TableLocation,
  range: QueriedLocation,
  limit: number,
  from: Cursor | undefined,
  whole = false,
): Promise<Page<KeyedItem>> {
  const { client, tableName: TableName, table } = location;
  const index = range.in === 'index' ? indexOf(location, range) : undefined;
  const keys: KeyNames = index ?? table;
  // No item can have an invalid key, or be in a range that ends before it begins, and DynamoDB would refuse the query.
  if (!isLegalRange(keys, range) || isReversed(keys, range)) return { entries: [], next: undefined };
  const { names, ...condition } = keyCondition(keys, range);
  const keysOnly = index !== undefined && !whole;
  const command = new QueryCommand({
    TableName,
    Limit: limit,
    ...(range.backwards && { ScanIndexForward: false }),
    ReturnConsumedCapacity: 'TOTAL',
    ...condition,
    ...startOf(table, from !== undefined && isIn(table, keys, range, from) ? from : undefined),
    ...(index === undefined ? { ConsistentRead: true } : { IndexName: index.name }),
    ...(index !== undefined && whole && { Select: 'ALL_ATTRIBUTES' }),
    ...(keysOnly && { ProjectionExpression: Object.keys(ownNames(table)).join(', ') }),
    ExpressionAttributeNames: { ...names, ...(keysOnly && ownNames(table)) },
  });
  return pageOf('Query', location, from, () => client.send(command));
}

function ownNames(table: TableNames): Record<string, string> {
  const [pk = '', sk] = keyParts(table).names;
  return { '#tablePk': pk, ...(sk !== undefined && { '#tableSk': sk }) };
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
export function dynamoDbScan(location: TableLocation): ScanPort {
  const { client, tableName: TableName, table } = location;
  return {
    async scan({ index, of }, limit, from) {
      const segment = { Limit: limit, Segment: index, TotalSegments: of, ...startOf(table, from) };
      const command = new ScanCommand({ TableName, ...segment, ReturnConsumedCapacity: 'TOTAL' });
      const page = await pageOf('Scan', location, from, () => client.send(command));
      return { ...page, units: page.units ?? 0 };
    },
  };
}

type Answer = Pick<QueryCommandOutput, 'Items' | 'LastEvaluatedKey' | 'ConsumedCapacity'>;

async function pageOf(
  what: string,
  location: TableLocation,
  from: Cursor | undefined,
  request: () => Promise<Answer>,
): Promise<Page<KeyedItem>> {
  const { table, tableName } = location;
  const {
    Items = [],
    LastEvaluatedKey,
    ConsumedCapacity,
  } = await awsCall(`${what} of table ${tableName}`, request);
  const next = cursorOf(table, LastEvaluatedKey, tableName);
  requireMove('table', `${what} of table ${tableName}`, from, next);
  const entries = Items.map((attributes) => keyedFrom(location, attributes));
  return { entries, next, units: ConsumedCapacity?.CapacityUnits };
}

function keyCondition(keys: KeyNames, range: QueriedLocation) {
  const { equal, next } = conditionsOf(keys, range);
  const { begins = '', from, to } = range;
  const names: Record<string, string> = {};
  const values: Record<string, SdkValue> = {};
  const value = (name: string, part: KeyPart, text: string) => {
    values[name] = partValue(part, text);
    return name;
  };
  const conditions = equal.map(({ part, text }, index) => {
    const name = index === 0 ? 'pk' : `pk${index}`;
    names[`#${name}`] = part.name;
    return `#${name} = ${value(`:${name}`, part, text)}`;
  });
  if (next !== undefined) {
    names['#sk'] = next.name;
    if (begins !== '') conditions.push(`begins_with(#sk, ${value(':sk', next, begins)})`);
    else if (from === undefined) conditions.push(`#sk <= ${value(':sk', next, to ?? '')}`);
    else if (to === undefined) conditions.push(`#sk >= ${value(':sk', next, from)}`);
    else conditions.push(`#sk BETWEEN ${value(':from', next, from)} AND ${value(':to', next, to)}`);
  }
  return { KeyConditionExpression: conditions.join(' AND '), names, ExpressionAttributeValues: values };
}

/** DynamoDB refuses a key of another range, or of keys that the table or index had before: then the range begins anew. */
function isIn(table: TableNames, keys: KeyNames, range: QueriedLocation, from: Cursor): boolean {
  const names = new Set([...keyParts(table).names, ...keyParts(keys).names]);
  return (
    Object.keys(from).length === names.size &&
    [...names].every((name) => from[name]) &&
    isInRange(keys, startingAt(table, from), range)
  );
}

/** The key attributes that a cursor stands for. */
function startingAt(table: TableNames, from: Cursor): Record<string, { S: string } | { N: string }> {
  const parts = partsByName(table);
  return Object.fromEntries(
    Object.entries(from).map(([name, text]) => [
      name,
      partValue(parts.get(name) ?? { name, type: 'S', longest: 0 }, text),
    ]),
  );
}

function partsByName(table: TableNames): ReadonlyMap<string, KeyPart> {
  return new Map([...indexParts(table), ...keyParts(table).all.map((part) => [part.name, part] as const)]);
}

function startOf(
  table: TableNames,
  from: Cursor | undefined,
): { ExclusiveStartKey?: Record<string, SdkValue> } {
  return from === undefined || Object.keys(from).length === 0
    ? {}
    : { ExclusiveStartKey: startingAt(table, from) };
}

/** In the format of messages and resume files. */
function cursorOf(
  table: TableNames,
  key: Readonly<Record<string, SdkValue>> | undefined,
  tableName: string,
): Cursor | undefined {
  if (key === undefined || Object.keys(key).length === 0) return undefined;
  const parts = partsByName(table);
  return Object.fromEntries(
    Object.entries(fromSdk(key)).map(([name, value]) => {
      const part = parts.get(name);
      const text = part && partText(part, value);
      if (part !== undefined && text !== undefined) return [name, text];
      throw new FatalError(
        'table.other-shape',
        `Expected the key attributes of table ${tableName} and its indexes to be ${[...parts.values()].map((one) => `${one.name} (${one.type})`).join(', ')}, but ${name} is another`,
      );
    }),
  );
}
