import { valueText, visible } from '../../model/basics/text.ts';
import { type ItemKey, keyAsJson } from '../../model/items/item.ts';
import { type KeyNames, keyParts } from '../../model/items/table-names.ts';
import type { KindCounts } from '../../model/rules/kind-counts.ts';

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** The time between two times in epoch milliseconds. */
export function age(at: number, now: number): string {
  return at === 0 ? 'unknown' : duration(now - at);
}

/** A time in epoch milliseconds, as all output has it: exact, so that it can be given back as an option. */
export function timeText(at: number): string {
  return new Date(at).toISOString();
}

/** A duration in its largest whole unit: `3 h`. */
export function duration(milliseconds: number): string {
  for (const [unit, length] of units)
    if (milliseconds >= length) return `${Math.floor(milliseconds / length)} ${unit}`;
  return '0 s';
}

const longest = 80;

/** A value of DynamoDB JSON, null if it is missing; long ones are shortened. The result is item content. */
export function shortText(value: unknown): string {
  const text = valueText(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

/** `{"PK":"…","SK":"…"}` */
export function keyJson(table: KeyNames, key: ItemKey): string {
  return visible(keyAsJson(table, key));
}

export type NamedKey = Readonly<Record<string, string | number>>;

/** A key for output in JSON. A number that JSON's readers would round, or write in another way, is text. */
export function namedKey(table: KeyNames, { pk, sk }: ItemKey): NamedKey {
  const texts = [pk, sk];
  return Object.fromEntries(
    keyParts(table).all.map(({ name, type }, index) => {
      const text = texts[index] ?? '';
      return [name, type === 'N' && String(Number(text)) === text ? Number(text) : text];
    }),
  );
}

/** Items of no kind, with a key as an example, for output in JSON. */
export function strangersJson(table: KeyNames, { strangers }: Pick<KindCounts, 'strangers'>) {
  return strangers.map((one) => ({ ...one, example: namedKey(table, one.example) }));
}

export const exampleKeys = {
  root: (table: KeyNames) => exampleKey(table, 'AUTHOR#7', 'PROFILE'),
  copy: (table: KeyNames) => exampleKey(table, 'POST#42', 'METADATA'),
};

function exampleKey(table: KeyNames, pk: string, sk: string): string {
  const [ofPk, ofSk] = keyParts(table).all;
  return keyJson(table, { pk: ofPk?.type === 'N' ? '7' : pk, sk: ofSk?.type === 'N' ? '42' : sk });
}
