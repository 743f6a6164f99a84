import * as z from 'zod';
import { cursorSchema } from '../../../model/message.ts';
import { jsonOrUndefined } from '../../../model/parse-json.ts';
import { scanPointSchema, wholeTable } from '../../scan/scan-table.ts';
import type { ArchiveNotes } from '../ports.ts';
import type { AgingRule } from './aging.ts';

const partitionSchema = z.object({ pk: z.string(), from: cursorSchema.optional(), done: z.boolean() });

/** The position of a search for aged items: in the segments of a scan, or in the partitions of an index. */
const locationSchema = z.discriminatedUnion('in', [
  z.object({ in: z.literal('scan'), scan: scanPointSchema }),
  z.object({ in: z.literal('index'), index: z.string(), partitions: z.array(partitionSchema) }),
]);

export type SweepSource = z.output<typeof locationSchema>;
export type PartitionPoint = z.output<typeof partitionSchema>;

/**
 * The saved position of a rule's pass. Plain JSON: keys and cursors, never item content. Times in epoch milliseconds.
 */
const pointSchema = z.object({
  rule: z.string(),
  table: z.string(),
  agedAfterDays: z.number(),
  /** When the pass began. */
  started: z.number(),
  /** When a run last worked on it. */
  ranAt: z.number(),
  /** When the pass was completed. The next run begins another. */
  finished: z.number().optional(),
  location: locationSchema,
});

export type SweepPoint = z.output<typeof pointSchema>;

/** Segments of a pass's scan. They cannot change during the pass. */
const segments = 16;

/** The note with a rule's position, stored beside the archive, so that any run anywhere can continue from it. */
export function sweepNoteOf(rule: string): string {
  return `state/sweep-${rule}.json`;
}

/** Loads a rule's position; undefined if it is missing or unreadable. */
export async function loadPoint(notes: ArchiveNotes, rule: string): Promise<SweepPoint | undefined> {
  const text = await notes.read(sweepNoteOf(rule));
  if (text === undefined) return undefined;
  return pointSchema.safeParse(jsonOrUndefined(text)).data;
}

export async function savePoint(notes: ArchiveNotes, point: SweepPoint): Promise<void> {
  await notes.write(sweepNoteOf(point.rule), `${JSON.stringify(point)}\n`);
}

/** The beginning of a pass. @param now in epoch milliseconds */
export function firstPoint(
  { name, ages: { days, found } }: AgingRule,
  table: string,
  now: number,
): SweepPoint {
  const location: SweepSource =
    found.in === 'scan'
      ? { in: 'scan', scan: wholeTable(segments) }
      : {
          in: 'index',
          index: found.index.name,
          partitions: [...new Set(found.pks)].map((pk) => ({ pk, done: false })),
        };
  return { rule: name, table, agedAfterDays: days, started: now, ranAt: now, location };
}

/**
 * Whether a pass can continue: it is not complete, and it searches for the same items as a new one would. With fewer
 * days or other partitions, it would have skipped items already.
 */
export function canGoOn(point: SweepPoint, begun: SweepPoint): boolean {
  const same = point.table === begun.table && point.agedAfterDays === begun.agedAfterDays;
  return same && point.finished === undefined && extent(point.location) === extent(begun.location);
}

function extent(location: SweepSource): string {
  if (location.in === 'scan') return 'scan';
  return JSON.stringify([location.index, location.partitions.map(({ pk }) => pk).sort()]);
}
