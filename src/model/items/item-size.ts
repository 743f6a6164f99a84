import { type AttributeValue, canonicalNumber } from './attribute-value.ts';
import type { Item } from './item.ts';

/** The largest item that DynamoDB accepts, in bytes, names included. Source: AWS, "Quotas", item size. */
export const maxItem = 400 * 1024;

/** In bytes as DynamoDB counts them, or one less for each number. Source: AWS, "DynamoDB item sizes and formats". */
export function itemSize(item: Item): number {
  let size = 0;
  for (const [name, value] of Object.entries(item)) size += Buffer.byteLength(name) + valueSize(value);
  return size;
}

/** A bound at a fraction of the effort: it counts no bytes and no digits. */
export function itemSizeAtMost(item: Item): number {
  let size = 0;
  for (const name of Object.keys(item)) {
    const value = item[name];
    if (value === undefined) continue;
    // A UTF-16 code unit takes at most three bytes, and a number no more bytes than its text has characters, and one.
    size += 3 * name.length;
    if ('S' in value) size += 3 * value.S.length;
    else if ('N' in value) size += value.N.length + 1;
    else size += valueSize(value);
  }
  return size;
}

function valueSize(value: AttributeValue): number {
  if ('S' in value) return Buffer.byteLength(value.S);
  if ('N' in value) return numberSize(value.N);
  if ('B' in value) return value.B.byteLength;
  if ('BOOL' in value || 'NULL' in value) return 1;
  if ('SS' in value) return total(value.SS.map((member) => Buffer.byteLength(member)));
  if ('NS' in value) return total(value.NS.map(numberSize));
  if ('BS' in value) return total(value.BS.map((member) => member.byteLength));
  if ('L' in value) return 3 + total(value.L.map((member) => 1 + valueSize(member)));
  return (
    3 +
    total(Object.entries(value.M).map(([name, member]) => 1 + Buffer.byteLength(name) + valueSize(member)))
  );
}

/** One byte for every two significant digits, one more byte, and one for a minus sign. */
function numberSize(text: string): number {
  const canonical = canonicalNumber(text);
  const digits = canonical.replace(/^-|e.*$/g, '').length;
  return Math.ceil(digits / 2) + 1 + (canonical.startsWith('-') ? 1 : 0);
}

function total(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
