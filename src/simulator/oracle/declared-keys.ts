import type { AttributeValue } from '../../model/items/attribute-value.ts';
import { attribute, type Item, keyIn } from '../../model/items/item.ts';
import { isKeyName, keyParts, type TableNames } from '../../model/items/table-names.ts';
import type { BoundKind } from '../../model/kinds/kind.ts';
import { parsedBy } from '../../model/kinds/view.ts';

/** The index keys that a kind declares, read apart from the code that writes them: none of an index if one does not fit. */
export function declaredKeys(
  table: TableNames,
  kind: BoundKind,
  item: Item,
): ReadonlyMap<string, AttributeValue | undefined> {
  return new Map(keysOf(table, kind, item).flatMap(({ keys }) => keys));
}

/** Whether a key is not there because a value does not fit, which only a person can mend. */
export function isUnmade(table: TableNames, kind: BoundKind, item: Item): boolean {
  return keysOf(table, kind, item).some(({ unmade }) => unmade);
}

function keysOf(table: TableNames, kind: BoundKind, item: Item) {
  const ids = kind.idsOf(keyIn(table, item)) ?? {};
  return Object.entries(kind.keys).flatMap(([name, { pk, sk }]) => {
    const index = Object.values(table.indexes).find((one) => one.name === name);
    if (index === undefined) return [];
    const patterns = [...pk, ...sk];
    // An attribute that is itself a key is the item's own.
    const parts = keyParts(index).all.flatMap((part, at) => {
      const pattern = patterns[at]?.pattern ?? '';
      return isKeyName(table, part.name) || pattern === `{${part.name}}` ? [] : [{ ...part, pattern }];
    });
    const none = parts.map(({ name: key }): [string, AttributeValue | undefined] => [key, undefined]);
    const names = patterns.flatMap((one) => one.names);
    if (names.some((one) => ids[one] === undefined && isNone(attribute(item, one))))
      return [{ keys: none, unmade: false }];
    try {
      // Those of the item's own count too: all fit, or none is written.
      for (const { pattern } of patterns) filled(pattern, kind, ids, item);
      const keys = parts.map(({ name: key, type, longest, pattern }): [string, AttributeValue] => {
        const text = filled(pattern, kind, ids, item);
        if (Buffer.byteLength(text) > longest) throw new RangeError('is too long');
        return [key, type === 'S' ? { S: text } : { N: numeric(text) }];
      });
      return [{ keys, unmade: false }];
    } catch {
      return [{ keys: none, unmade: true }];
    }
  });
}

function numeric(text: string): string {
  if (text.trim() === '' || !Number.isFinite(Number(text))) throw new RangeError('is no number');
  return text;
}

function filled(
  pattern: string,
  { attributes }: BoundKind,
  ids: Readonly<Record<string, string>>,
  item: Item,
): string {
  return pattern.replace(/\{(\w+)(?::(\d+))?\}(?=(.?))/g, (_, name: string, width: string, after: string) => {
    const schema = attributes.shape[name];
    const isRefused = ids[name] === undefined && schema && !parsedBy(schema, attribute(item, name)).success;
    const value = ids[name] ?? plain(attribute(item, name));
    const part = width === undefined ? value : value.padStart(Number(width), '0');
    const fits = width === undefined ? part !== '' : /^\d+$/.test(part) && part.length === Number(width);
    if (isRefused || !fits || (after !== '' && part.includes(after))) throw new RangeError('does not fit');
    return part;
  });
}

function isNone(value: AttributeValue | undefined): boolean {
  return value === undefined || 'NULL' in value || ('S' in value && value.S === '');
}

function plain(value: AttributeValue | undefined): string {
  if (value !== undefined && 'S' in value) return value.S;
  if (value !== undefined && 'N' in value) return String(Number(value.N));
  throw new TypeError('neither text nor a number');
}
