import * as z from 'zod';
import type { ItemKey } from '../model/item.ts';
import { objectKeyOf } from './object.ts';

const markSchema = z.object({ at: z.int().min(0) });

/** The note that says when an item was restored: `restored/<kind>/<PK>/<SK>.json`, encoded as its object's key is. */
export function restoredKeyOf(kind: string, key: ItemKey): string {
  return objectKeyOf(kind, key).replace(/^archive\//, 'restored/');
}

/** What the note says. @param at in epoch milliseconds */
export function restoredMark(at: number): string {
  return `${JSON.stringify({ at })}\n`;
}

/**
 * When an item was restored, in epoch milliseconds. A note that cannot be read says that it was, and not when: then it
 * counts as restored just now, because an item too many costs less than one that a person wanted back.
 */
export function restoredAt(mark: string, now: number): number {
  try {
    const parsed = markSchema.safeParse(JSON.parse(mark));
    return parsed.success ? parsed.data.at : now;
  } catch {
    return now;
  }
}
