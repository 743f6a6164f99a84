import { Big } from 'big.js';
import type { AttributeValue } from '../../model/items/attribute-value.ts';
import type { Item } from '../../model/items/item.ts';

/** Equality as DynamoDB has it, written apart from the engine's own: a fault in either shows as a difference between them. */
export function sameValue(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a === b) return true;
  if ('S' in a) return 'S' in b && a.S === b.S;
  if ('N' in a) return 'N' in b && sameNumber(a.N, b.N);
  if ('B' in a) return 'B' in b && sameBytes(a.B, b.B);
  if ('BOOL' in a) return 'BOOL' in b && a.BOOL === b.BOOL;
  if ('NULL' in a) return 'NULL' in b;
  if ('SS' in a) return 'SS' in b && sameSet(a.SS, b.SS, (x, y) => x === y);
  if ('NS' in a) return 'NS' in b && sameSet(a.NS, b.NS, sameNumber);
  if ('BS' in a) return 'BS' in b && sameSet(a.BS, b.BS, sameBytes);
  if ('L' in a)
    return (
      'L' in b && a.L.length === b.L.length && a.L.every((member, index) => sameValue(member, b.L[index]))
    );
  return 'M' in b && sameItem(a.M, b.M);
}

export function sameItem(a: Item | undefined, b: Item | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a === b) return true;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => sameValue(a[name], b[name]));
}

function sameNumber(a: string, b: string): boolean {
  return a === b || new Big(a).eq(b);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function sameSet<Member>(
  a: readonly Member[],
  b: readonly Member[],
  same: (x: Member, y: Member) => boolean,
): boolean {
  return a.length === b.length && a.every((member) => b.some((other) => same(member, other)));
}
