import type { WriteUnits } from '../../model/capacity.ts';
import type { CopyLocation } from '../../model/copy-location.ts';
import { keyJson } from '../options/item-key.ts';

/** Where copies are looked for, in words. */
export function locationWords(location: CopyLocation): string {
  if (location.in === 'key') return `the key ${keyJson(location)}`;
  const begins = location.begins === undefined ? '' : `, sort keys that begin with ${location.begins}`;
  const where =
    location.in === 'index'
      ? `index ${location.index}, partition ${location.pk}`
      : `the partition ${location.pk}`;
  return `${where}${begins}`;
}

/** `1 write`, `1,400 writes`; a word that has no plural stays as it is. */
export function count(number: number, word: string): string {
  return `${numberText(number)} ${word}${number === 1 || word === 'more' ? '' : 's'}`;
}

export function numberText(number: number): string {
  return number.toLocaleString('en-US');
}

/** `2 WCU (table 1, GSI1 1)`; indexes that are left alone are not named. */
export function unitsText({ table, indexes, total }: WriteUnits): string {
  const arms = Object.entries(indexes)
    .filter(([, units]) => units > 0)
    .map(([name, units]) => `, ${name} ${numberText(units)}`);
  return `${numberText(total)} WCU (table ${numberText(table)}${arms.join('')})`;
}
