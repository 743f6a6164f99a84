import type { AttributeValue } from '../../model/items/attribute-value.ts';
import { isStorable } from '../../model/items/decimal.ts';
import {
  type Item,
  type ItemKey,
  isLegalKey,
  isLegalPart,
  keyText,
  partText,
} from '../../model/items/item.ts';
import { itemSize, maxItem } from '../../model/items/item-size.ts';
import { indexParts, type TableNames } from '../../model/items/table-names.ts';

/** Thrown where DynamoDB would answer ValidationException: no such item could ever stand in the table. */
export class ModelRefusal extends Error {
  override readonly name = 'ModelRefusal';
}

export function isRefused(write: () => void): boolean {
  try {
    write();
    return false;
  } catch (error) {
    if (error instanceof ModelRefusal) return true;
    throw error;
  }
}

/** @throws ModelRefusal if DynamoDB never accepts this item */
export function refuseImpossible(table: TableNames, key: ItemKey, item: Item): void {
  if (!isLegalKey(table, key))
    throw new ModelRefusal(`Expected a key within DynamoDB's lengths, got ${keyText(key)}`);
  for (const [name, part] of indexParts(table)) {
    const value = item[name];
    if (value !== undefined && !isLegalPart(part, partText(part, value) ?? ''))
      throw new ModelRefusal(`Expected '${name}' to be a value that an index takes, on ${keyText(key)}`);
  }
  if (Object.values(item).some(isImpossibleSet))
    throw new ModelRefusal(`Expected sets that are not empty and hold nothing twice, on ${keyText(key)}`);
  if (!Object.values(item).every(hasStorableNumbers))
    throw new ModelRefusal(`Expected numbers of at most 38 digits, on ${keyText(key)}`);
  if (itemSize(item) > maxItem) throw new ModelRefusal(`Expected at most 400 KB, on ${keyText(key)}`);
}

function isImpossibleSet(value: AttributeValue): boolean {
  const members = 'SS' in value ? value.SS : 'NS' in value ? value.NS : undefined;
  return members !== undefined && (members.length === 0 || new Set(members).size < members.length);
}

function hasStorableNumbers(value: AttributeValue): boolean {
  if ('N' in value) return isStorable(value.N);
  if ('NS' in value) return value.NS.every(isStorable);
  if ('L' in value) return value.L.every(hasStorableNumbers);
  return !('M' in value) || Object.values(value.M).every(hasStorableNumbers);
}
