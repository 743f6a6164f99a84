import type { AttributeValue } from '../../../model/attribute-value.ts';
import { type Item, type ItemKey, isLegalKey, isLegalKeyPart, keyText } from '../../../model/item.ts';
import { itemSize, maxItem } from '../../../model/item-size.ts';
import type { TableNames } from '../../../model/table-names.ts';

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
export function refuseImpossible({ indexes }: TableNames, key: ItemKey, item: Item): void {
  if (!isLegalKey(key))
    throw new ModelRefusal(`Expected a key within DynamoDB's lengths, got ${keyText(key)}`);
  for (const { pk, sk } of Object.values(indexes))
    for (const [name, longest] of [[pk, 2048] as const, [sk, 1024] as const]) {
      const value = item[name];
      if (value !== undefined && !('S' in value && isLegalKeyPart(value.S, longest)))
        throw new ModelRefusal(`Expected '${name}' to be text of 1 to ${longest} bytes, on ${keyText(key)}`);
    }
  if (Object.values(item).some(isImpossibleSet))
    throw new ModelRefusal(`Expected sets that are not empty and hold nothing twice, on ${keyText(key)}`);
  if (itemSize(item) > maxItem) throw new ModelRefusal(`Expected at most 400 KB, on ${keyText(key)}`);
}

function isImpossibleSet(value: AttributeValue): boolean {
  const members = 'SS' in value ? value.SS : 'NS' in value ? value.NS : undefined;
  return members !== undefined && (members.length === 0 || new Set(members).size < members.length);
}
