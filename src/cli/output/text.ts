import { valueText, visible } from '../../develop/page/protocol/texts.ts';
import type { ItemKey } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';

export { counted, number } from '../../develop/page/protocol/texts.ts';

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Elapsed time in its largest whole unit, `3 h`, of times in epoch milliseconds. */
export function age(at: number, now: number): string {
  if (at === 0) return 'unknown';
  for (const [unit, length] of units)
    if (now - at >= length) return `${Math.floor((now - at) / length)} ${unit}`;
  return '0 s';
}

const longest = 80;

/** A value of DynamoDB JSON, null if it is missing; long ones are shortened. The result is item content. */
export function shortText(value: unknown): string {
  const text = valueText(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

/** The names of the table's keys in output: those of the project, once it is loaded. */
let names: Pick<TableNames, 'pk' | 'sk'> = { pk: 'PK', sk: 'SK' };

export function nameKeysAs(table: Pick<TableNames, 'pk' | 'sk'>): void {
  names = table;
}

/** `{"PK":"…","SK":"…"}` */
export function keyJson({ pk, sk }: ItemKey): string {
  return visible(JSON.stringify({ [names.pk]: pk, [names.sk]: sk }));
}

export function keyAsJson({ pk, sk }: ItemKey): Record<string, string> {
  return { [names.pk]: pk, [names.sk]: sk };
}

export const exampleKeys = {
  root: () => keyJson({ pk: 'AUTHOR#7', sk: 'PROFILE' }),
  copy: () => keyJson({ pk: 'POST#42', sk: 'METADATA' }),
};

/** The key that {@link keyAsJson} formatted; an empty part for a missing one. */
export function keyOfJson(json: Readonly<Record<string, string>>): ItemKey {
  return { pk: json[names.pk] ?? '', sk: json[names.sk] ?? '' };
}
