import type { AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import { FatalError } from '../../../model/basics/errors.ts';
import type { AttributeValue } from '../../../model/items/attribute-value.ts';
import type { Item } from '../../../model/items/item.ts';

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
