import * as z from 'zod';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import type { ItemKey } from '../../model/items/item.ts';
import { objectKeyOf } from './object.ts';

const markSchema = z.object({ at: z.int().min(0) });

/** `restored/<kind>/<PK>/<SK>.json`, encoded like its object key. */
export function restoredKeyOf(kind: string, key: ItemKey): string {
  return objectKeyOf(kind, key).replace('archive/', 'restored/');
}

/** @param at in epoch milliseconds */
export function restoredMark(at: number): string {
  return `${JSON.stringify({ at })}\n`;
}

/** In epoch milliseconds; `now` if the note is unreadable: keeping an item too long costs less than sweeping a wanted one. */
export function restoredAt(mark: string, now: number): number {
  return markSchema.safeParse(jsonOrUndefined(mark)).data?.at ?? now;
}
