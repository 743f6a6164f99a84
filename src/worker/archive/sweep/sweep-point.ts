import * as z from 'zod';
import type { AgingFound } from '../../../model/archive-rule.ts';
import { jsonOrUndefined } from '../../../model/parse-json.ts';
import { scanPointSchema, wholeTable } from '../../scan/scan-table.ts';
import type { ArchiveNotes } from '../ports.ts';
import type { AgingRule } from './aging.ts';

/**
 * The saved position of a rule's pass. Plain JSON: keys and cursors, never item content. Times in epoch milliseconds.
 */
const pointSchema = z.object({
  rule: z.string(),
  /** What the pass searches. With another table, fewer days or other partitions, it would have skipped items already. */
  searches: z.object({ table: z.string(), agedAfterDays: z.number(), partitions: z.array(z.string()) }),
  /** When the pass began. */
  started: z.number(),
  /** When a run last worked on it. */
  ranAt: z.number(),
  /** When the pass was completed. The next run begins another. */
  finished: z.number().optional(),
  /** In the segments of the table, or in the partitions of the index, in their order. */
  scan: scanPointSchema,
});

export type SweepPoint = z.output<typeof pointSchema>;

/** Segments of a pass's scan. They cannot change during the pass. */
const segments = 16;

/** The note with a rule's position, stored beside the archive, so that any run anywhere can continue from it. */
function noteOf(rule: string): string {
  return `state/sweep-${rule}.json`;
}

/** Loads a rule's position; undefined if it is missing or unreadable. */
export async function loadPoint(notes: ArchiveNotes, rule: string): Promise<SweepPoint | undefined> {
  const text = await notes.read(noteOf(rule));
  return text === undefined ? undefined : pointSchema.safeParse(jsonOrUndefined(text)).data;
}

export async function savePoint(notes: ArchiveNotes, point: SweepPoint): Promise<void> {
  await notes.write(noteOf(point.rule), `${JSON.stringify(point)}\n`);
}

/** The partitions of an index that a pass searches, in an order that does not depend on the rule's. */
export function partitionsOf({ pks }: Extract<AgingFound, { in: 'index' }>): readonly string[] {
  return [...new Set(pks)].sort();
}

/**
 * Where a run begins: at the saved position if its pass is not complete and searches for the same items as a new one would.
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
