import type { AttributeValue } from '../../../../model/attribute-value.ts';
import { attribute, type Item, keyIn } from '../../../../model/item.ts';
import type { AnyKind } from '../../../../model/kind.ts';
import { isKeyName, keyParts, type TableNames } from '../../../../model/table-names.ts';

/** The index keys that a kind declares, read apart from the code that writes them. @throws where a value does not fit */
export function declaredKeys(
  table: TableNames,
  kind: AnyKind,
  item: Item,
): ReadonlyMap<string, AttributeValue | undefined> {
  const ids = kind.idsOf(keyIn(table, item)) ?? {};
  const keys = Object.entries(kind.keys).flatMap(([name, patterns]) => {
    const index = Object.values(table.indexes).find((one) => one.name === name);
    if (index === undefined) return [];
    const texts = [...patterns.pk, ...patterns.sk].map(({ pattern }) => filled(pattern, ids, item));
    const isThere = texts.every((text) => text !== undefined);
    return keyParts(index).all.flatMap(({ name: key, type }, at): [string, AttributeValue | undefined][] => {
      // The item has it by itself.
      if (isKeyName(table, key) || [...patterns.pk, ...patterns.sk][at]?.pattern === `{${key}}`) return [];
      if (!isThere) return [[key, undefined]];
      return [[key, type === 'S' ? { S: texts[at] ?? '' } : { N: numeric(texts[at] ?? '') }]];
    });
  });
  return new Map(keys);
}

function numeric(text: string): string {
  if (text.trim() === '' || !Number.isFinite(Number(text))) throw new RangeError('is no number');
  return text;
}

function filled(pattern: string, ids: Readonly<Record<string, string>>, item: Item): string | undefined {
  let isMissing = false;
  const text = pattern.replace(
    /\{(\w+)(?::(\d+))?\}(?=(.?))/g,
    (_, name: string, width: string, after: string) => {
      const value = ids[name] ?? plain(attribute(item, name));
      isMissing ||= value === undefined;
      if (value === undefined) return '';
      const part = width === undefined ? value : value.padStart(Number(width), '0');
      const fits = width === undefined ? part !== '' : /^\d+$/.test(part) && part.length === Number(width);
      if (!fits || (after !== '' && part.includes(after))) throw new RangeError('does not fit');
      return part;
    },
  );
  return isMissing ? undefined : text;
}

/** Undefined if it is missing or NULL. */
function plain(value: AttributeValue | undefined): string | undefined {
  if (value === undefined || 'NULL' in value) return undefined;
  if ('S' in value) return value.S;
  if ('N' in value) return String(Number(value.N));
  throw new TypeError('neither text nor a number');
}
