import * as z from 'zod';
import { cursorSchema } from '../../model/message.ts';
import { scanPointSchema, wholeTable } from '../../scan/scan-table.ts';
import type { ArchiveNotes } from '../ports.ts';
import type { AgingRule } from './aging.ts';

const partitionSchema = z.object({ pk: z.string(), from: cursorSchema.optional(), done: z.boolean() });

/** How far a search for aged items has come: through the segments of a scan, or through the partitions of an index. */
const locationSchema = z.discriminatedUnion('in', [
  z.object({ in: z.literal('scan'), scan: scanPointSchema }),
  z.object({ in: z.literal('index'), index: z.string(), partitions: z.array(partitionSchema) }),
]);

export type SweepSource = z.output<typeof locationSchema>;
export type PartitionPoint = z.output<typeof partitionSchema>;

/** Where a pass by one rule stands: plain JSON, keys and cursors, never item content. Times in epoch milliseconds. */
const pointSchema = z.object({
  rule: z.string(),
  table: z.string(),
  agedAfterDays: z.number(),
  /** When the pass began. */
  started: z.number(),
  /** When a run last worked on it. */
  ranAt: z.number(),
  /** When the pass came to its end; the next run begins another. */
  finished: z.number().optional(),
  location: locationSchema,
});

export type SweepPoint = z.output<typeof pointSchema>;

/** Segments of the scan of a pass. They cannot be changed on the way. */
const segments = 16;

/** The note that holds where a rule's pass stands, beside the archive: every run goes on from it, wherever it runs. */
export function sweepNoteOf(rule: string): string {
  return `state/sweep-${rule}.json`;
}

/** Where a rule's pass stands; undefined where there is none, or nothing that can be read. */
export async function loadPoint(notes: ArchiveNotes, rule: string): Promise<SweepPoint | undefined> {
  const text = await notes.read(sweepNoteOf(rule));
  if (text === undefined) return undefined;
  try {
    return pointSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
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
 * Whether a pass can be gone on with: it has not come to its end, and looks for the same as one that would begin now. With
 * fewer days, or in other partitions, what lies behind it would be missed.
 */
export function canGoOn(point: SweepPoint, begun: SweepPoint): boolean {
  const same = point.table === begun.table && point.agedAfterDays === begun.agedAfterDays;
  return same && point.finished === undefined && extent(point.location) === extent(begun.location);
}

function extent(location: SweepSource): string {
  if (location.in === 'scan') return 'scan';
  return JSON.stringify([location.index, location.partitions.map(({ pk }) => pk).sort()]);
}
