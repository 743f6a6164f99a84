import type { ItemKey } from '../domain/item.ts';
import { table } from '../table.ts';

/** A key as it is written on a command line and in reports: `{"PK":"…","SK":"…"}`. */
export function keyJson({ pk, sk }: ItemKey): string {
  return JSON.stringify({ [table.pk]: pk, [table.sk]: sk });
}
