import { valueText, visible } from '../../develop/page/protocol/texts.ts';
import { type ItemKey, keyAsJson as jsonOfKey } from '../../model/item.ts';
import { type KeyNames, keyParts } from '../../model/table-names.ts';

export { counted, number } from '../../develop/page/protocol/texts.ts';

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** The time since, of times in epoch milliseconds. */
export function age(at: number, now: number): string {
  return at === 0 ? 'unknown' : duration(now - at);
}

/** In its largest whole unit: `3 h`. */
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

/** The names of the table's keys in output: those of the project, once it is loaded. */
let names: KeyNames = { pk: 'PK', sk: 'SK' };

export function nameKeysAs(table: KeyNames): void {
  names = table;
}

/** `{"PK":"…","SK":"…"}` */
export function keyJson(key: ItemKey): string {
  return visible(jsonOfKey(names, key));
}

/** A number that JSON's readers would round, or write in another way, is text. */
export function keyAsJson({ pk, sk }: ItemKey): Record<string, string | number> {
  const texts = [pk, sk];
  return Object.fromEntries(
    keyParts(names).all.map(({ name, type }, index) => {
      const text = texts[index] ?? '';
      return [name, type === 'N' && String(Number(text)) === text ? Number(text) : text];
    }),
  );
}

export const exampleKeys = {
  root: () => exampleKey('AUTHOR#7', 'PROFILE'),
  copy: () => exampleKey('POST#42', 'METADATA'),
};

function exampleKey(pk: string, sk: string): string {
  const [ofPk, ofSk] = keyParts(names).all;
  return keyJson({ pk: ofPk?.type === 'N' ? '7' : pk, sk: ofSk?.type === 'N' ? '42' : sk });
}

/** The key that {@link keyAsJson} formatted; an empty part for a missing one. */
export function keyOfJson(json: Readonly<Record<string, string | number>>): ItemKey {
  const [pk = '', sk = ''] = keyParts(names).names.map((name) => String(json[name] ?? ''));
  return { pk, sk };
}
