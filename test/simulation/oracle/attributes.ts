import type { Item } from '../../../src/model/item.ts';

const keyNames = new Set(['PK', 'SK', 'GSI1PK', 'GSI1SK', 'GSI2PK', 'GSI2SK', 'GSI3PK', 'GSI3SK']);

/** Whether an attribute is none of the table's and none of its indexes' keys, nor the expiry. */
export function isContent(attribute: string): boolean {
  return !keyNames.has(attribute) && attribute !== 'ExpiresAt';
}

export function textOf(item: Item, attribute: string): string | undefined {
  const value = item[attribute];
  return value !== undefined && 'S' in value && value.S !== '' ? value.S : undefined;
}

export function pkOf(item: Item): string {
  return textOf(item, 'PK') ?? '';
}

export function skOf(item: Item): string {
  return textOf(item, 'SK') ?? '';
}
