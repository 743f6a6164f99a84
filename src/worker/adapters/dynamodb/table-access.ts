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

/**
 * The SDK's own object, which nobody changes: a scan looks at each item, and a copy of each would cost more than the look.
 * @throws FatalError `table.unknown-type` for an attribute type that this version does not know
 */
export function fromSdk(attributes: Readonly<Record<string, SdkValue>>): Item {
  const known = withoutUndefined(attributes);
  if (isKnownMap(known)) return known as Item;
  throw new FatalError(
    'table.unknown-type',
    'An item has an attribute of a type that is not known here: bring the worker up to date',
  );
}

function isKnownMap(map: Readonly<Record<string, SdkValue>>): boolean {
  for (const name of Object.keys(map)) if (!isKnown(map[name])) return false;
  return true;
}

function isKnown(value: SdkValue | undefined): boolean {
  if (value === undefined) return false;
  if (value.S !== undefined || value.N !== undefined || value.B !== undefined) return true;
  if (value.BOOL !== undefined || value.NULL === true) return true;
  if (value.SS !== undefined || value.NS !== undefined || value.BS !== undefined) return true;
  if (value.L !== undefined) return value.L.every(isKnown);
  return value.M !== undefined && isKnownMap(value.M);
}

/** The SDK answers an attribute called `__proto__` without its value. */
function withoutUndefined(attributes: Readonly<Record<string, SdkValue>>): typeof attributes {
  if (!Object.hasOwn(attributes, '__proto__')) return attributes;
  const { ['__proto__']: _, ...others } = attributes;
  return others;
}
