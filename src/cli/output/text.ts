import { type AttributeValue, base64 } from '../../model/attribute-value.ts';
import type { ItemKey } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import { visible } from './visible.ts';

/** A number and its noun: `1 dead letter`, `2,000 dead letters`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : several}`;
}

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

/** Formats an attribute value for people: text quoted, binary as base64, long values shortened. The result is item content. */
export function valueText(value: AttributeValue | undefined): string {
  if (value === undefined) return 'missing';
  const text = visible(textOf(value));
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

function textOf(value: AttributeValue): string {
  if ('S' in value) return JSON.stringify(value.S);
  if ('N' in value) return value.N;
  if ('B' in value) return `binary ${base64(value.B)}`;
  if ('BOOL' in value) return String(value.BOOL);
  if ('NULL' in value) return 'null';
  if ('SS' in value) return `set of ${value.SS.map((member) => JSON.stringify(member)).join(', ')}`;
  if ('NS' in value) return `set of ${value.NS.join(', ')}`;
  if ('BS' in value) return `set of binary ${value.BS.map(base64).join(', ')}`;
  if ('L' in value) return `[${value.L.map(textOf).join(', ')}]`;
  const members = Object.entries(value.M).map(
    ([name, member]) => `${JSON.stringify(name)}: ${textOf(member)}`,
  );
  return `{${members.join(', ')}}`;
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

export function number(count: number): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 1 });
}
