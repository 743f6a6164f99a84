import type { ConsumedCapacity, DynamoDBClient, AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import type { LimitFunction } from 'p-limit';
import { FatalError } from '../../../model/basics/errors.ts';
import type { AttributeValue } from '../../../model/items/attribute-value.ts';
import { type Item, type KeyedItem, keyOf, keyWords } from '../../../model/items/item.ts';
import type { TableNames } from '../../../model/items/table-names.ts';
import type { OnSpent } from '../../ports.ts';
import type { BackOff } from '../../retry.ts';

export interface TableLocation {
  /** Retries requests that fail as a whole. Give it a request timeout. */
  readonly client: DynamoDBClient;
  /** Name or ARN. */
  readonly tableName: string;
  readonly table: TableNames;
}

export interface TableAccess extends TableLocation {
  /** Never held while waiting for another slot. */
  readonly limit: LimitFunction;
  readonly backOff: BackOff;
}

/** @throws FatalError `table.other-shape` if the table's keys are not those that the rules name */
export function keyedFrom(
  { table, tableName }: Pick<TableLocation, 'table' | 'tableName'>,
  attributes: Readonly<Record<string, SdkValue>>,
): KeyedItem {
  const item = fromSdk(attributes);
  const key = keyOf(table, item);
  if (key !== undefined) return { key, item };
  throw new FatalError(
    'table.other-shape',
    `Expected items of table ${tableName} to have ${keyWords(table)}, got one without: correct the table's key in src/table.ts`,
  );
}

export function withUnits(onSpent: OnSpent | undefined): { ReturnConsumedCapacity?: 'INDEXES' } {
  return onSpent === undefined ? {} : { ReturnConsumedCapacity: 'INDEXES' };
}

/** A table that says nothing of its indexes may have none. */
export function tellUnits(
  onSpent: OnSpent | undefined,
  consumed: ConsumedCapacity | readonly ConsumedCapacity[] = [],
): void {
  const parts = [consumed].flat();
  const total = parts.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  const own = parts.reduce(
    (sum, { Table, CapacityUnits = 0 }) => sum + (Table?.CapacityUnits ?? CapacityUnits),
    0,
  );
  if (total > 0) onSpent?.(own, total);
}

/** The SDK's types are mutable, but it changes no value that it is given. */
export function toSdk(value: AttributeValue): SdkValue {
  return value as SdkValue;
}

export function itemToSdk(item: Item): Record<string, SdkValue> {
  return item as Record<string, SdkValue>;
}

/** @throws FatalError `table.unknown-type` for an attribute type that this version does not know */
export function fromSdk(attributes: Readonly<Record<string, SdkValue>>): Item {
  return mapped(attributes, valueFromSdk);
}

function valueFromSdk(value: SdkValue): AttributeValue {
  if (value.S !== undefined) return value;
  if (value.N !== undefined) return value;
  if (value.B !== undefined) return value;
  if (value.BOOL !== undefined) return value;
  if (value.NULL !== undefined) return { NULL: true };
  if (value.SS !== undefined) return value;
  if (value.NS !== undefined) return value;
  if (value.BS !== undefined) return value;
  if (value.L !== undefined) return { L: value.L.map(valueFromSdk) };
  if (value.M !== undefined) return { M: mapped(value.M, valueFromSdk) };
  throw new FatalError(
    'table.unknown-type',
    'An item has an attribute of a type that is not known here: bring the worker up to date',
  );
}

function mapped<From, To>(
  map: Readonly<Record<string, From>>,
  convert: (value: From) => To,
): Record<string, To> {
  const converted: Record<string, To> = {};
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (value === undefined) continue;
    // An attribute may have this name, and an assignment would set the prototype instead.
    if (name === '__proto__')
      Object.defineProperty(converted, name, { value: convert(value), enumerable: true });
    else converted[name] = convert(value);
  }
  return converted;
}
