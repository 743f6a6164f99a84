import * as z from 'zod';
import { jsonOrUndefined } from '../../../model/basics/parse-json.ts';
import type { QueriedRange } from '../../../model/items/copy-location.ts';
import { rangeGiven } from '../../../model/items/given-keys.ts';
import type { AgingFound } from '../../../model/rules/archive-rule.ts';
import { scanPointSchema, wholeTable } from '../../scan/scan-table.ts';
import type { ArchiveNotes } from '../ports.ts';
import type { AgingRule } from './aging.ts';

/** Keys and cursors, never item content. Times in epoch milliseconds. */
const pointSchema = z.object({
  rule: z.string(),
  /** With another table, fewer days or other partitions, the pass would have skipped items already. */
  searches: z.object({
    table: z.string(),
    agedAfterDays: z.number(),
    partitions: z.array(z.union([z.string(), z.array(z.string()).readonly()])),
  }),
  started: z.number(),
  /** When a run last worked on it. */
  ranAt: z.number(),
  /** The next run begins another pass. */
  finished: z.number().optional(),
  /** In the segments of the table, or in the partitions of the index, in their order. */
  scan: scanPointSchema,
});

export type SweepPoint = z.output<typeof pointSchema>;

/** They cannot change during the pass. */
const segments = 16;

/** Beside the archive, so that any run anywhere can continue from it. */
function noteOf(rule: string): string {
  return `state/sweep-${rule}.json`;
}

/** Undefined if it is missing or unreadable. */
export async function loadPoint(notes: ArchiveNotes, rule: string): Promise<SweepPoint | undefined> {
  const text = await notes.read(noteOf(rule));
  return pointSchema.safeParse(text && jsonOrUndefined(text)).data;
}

export async function savePoint(notes: ArchiveNotes, point: SweepPoint): Promise<void> {
  await notes.write(noteOf(point.rule), `${JSON.stringify(point)}\n`);
}

/** In an order that does not depend on the rule's. */
export function partitionsOf({
  pks,
  index,
}: Extract<AgingFound, { in: 'index' }>): readonly QueriedRange['pk'][] {
  const texts = pks.map((pk) => rangeGiven(index, { pk }).pk);
  const distinct = new Map(texts.map((pk) => [typeof pk === 'string' ? pk : JSON.stringify(pk), pk]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pk]) => pk);
}

/**
 * At the saved position if its pass is not complete and searches for the same items.
 * @param now in epoch milliseconds
 */
export function pointOf(
  { name, ages: { days, found } }: AgingRule,
  table: string,
  saved: SweepPoint | undefined,
  now: number,
): SweepPoint {
  const partitions = found.in === 'index' ? [found.index.name, ...partitionsOf(found)] : [];
  const searches = { table, agedAfterDays: days, partitions };
  const isSame = JSON.stringify(saved?.searches) === JSON.stringify(searches);
  if (saved !== undefined && isSame && saved.finished === undefined) return { ...saved, ranAt: now };
  const scan = wholeTable(found.in === 'index' ? partitionsOf(found).length : segments);
  return { rule: name, searches, started: now, ranAt: now, scan };
}
