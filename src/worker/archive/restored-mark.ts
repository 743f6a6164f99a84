import * as z from 'zod';
import type { ItemKey } from '../../model/item.ts';
import { jsonOrUndefined } from '../../model/parse-json.ts';
import { objectKeyOf } from './object.ts';

const markSchema = z.object({ at: z.int().min(0) });

/** The key of the note about a restored item: `restored/<kind>/<PK>/<SK>.json`, encoded like its object key. */
export function restoredKeyOf(kind: string, key: ItemKey): string {
  return objectKeyOf(kind, key).replace('archive/', 'restored/');
}

/** The note's text. @param at in epoch milliseconds */
export function restoredMark(at: number): string {
  return `${JSON.stringify({ at })}\n`;
}

/**
 * When an item was restored, in epoch milliseconds. An unreadable note proves the restore but not its time; it counts
 * as just now, because keeping an item too long costs less than sweeping one that somebody wanted back.
 */
export function restoredAt(mark: string, now: number): number {
  return markSchema.safeParse(jsonOrUndefined(mark)).data?.at ?? now;
}
