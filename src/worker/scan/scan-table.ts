import * as z from 'zod/mini';
import type { KeyedItem } from '../../model/items/item.ts';
import { cursorSchema } from '../../model/work/message-schemas.ts';
import type { Budget } from '../budget.ts';
import type { ScanPort } from '../ports.ts';

/** Plain JSON, for a resume file. Segments that are not listed are not read, which is how a sample works. */
export const scanPointSchema = z.object({
  segments: z.array(
    z.object({
      index: z.int().check(z.gte(0)),
      of: z.int().check(z.gte(1), z.lte(1_000_000)),
      from: z.optional(cursorSchema),
      done: z.boolean(),
    }),
  ),
});

export type ScanPoint = z.output<typeof scanPointSchema>;
type SegmentPoint = ScanPoint['segments'][number];

export interface VisitedPage {
  readonly items: number;
  readonly units: number;
  readonly point: ScanPoint;
}

export interface TableScan {
  readonly scan: ScanPort;
  /** A visitor that reads more takes its units from the same budget; pages become smaller then. */
  readonly budget: Budget;
  /** {@link wholeTable}, {@link sampleOf}, or the position of an earlier scan. */
  readonly point: ScanPoint;
  /** Read in parallel, 1 or more. */
  readonly concurrency: number;
  /** The scan moves past a page only after this has resolved; what it resolves to is called at that moment, for counts. */
  readonly visit: (items: readonly KeyedItem[]) => Promise<AfterPage | undefined> | Promise<void>;
  /** Asked before each page: pages in progress are completed. */
  readonly stop?: () => boolean;
  /** Awaited after each page's visit. */
  readonly onPage?: (page: VisitedPage) => void | Promise<void>;
}

export type AfterPage = () => void;

/** @param segments 1 to 1,000,000 */
export function wholeTable(segments: number): ScanPoint {
  return {
    segments: Array.from({ length: segments }, (_, index) => ({ index, of: segments, done: false })),
  };
}

/** Source: AWS, "Scan". */
const maxSegments = 1_000_000;

/** A single one could hold one large partition, or nothing. */
const sampledSegments = 10;

/**
 * A partition is always in one segment, so the sample of a table with few partitions is uneven.
 * @param share above 0, at most 1
 */
export function sampleOf(share: number, random: () => number): ScanPoint {
  const of = Math.min(maxSegments, Math.round(sampledSegments / share));
  const chosen = new Set<number>();
  while (chosen.size < Math.min(sampledSegments, of)) chosen.add(Math.floor(random() * of));
  return { segments: [...chosen].map((index) => ({ index, of, done: false })) };
}

export function isFinished({ segments }: ScanPoint): boolean {
  return segments.every(({ done }) => done);
}

/** Of a second's budget, for a page. */
const pageShare = 1 / 4;

/** Of a page: 1 MB, read eventually consistent. Source: AWS, "Scan". */
const maxUnits = 128;

/** While their size is unknown. */
const firstLimit = 25;
const maxItems = 1000;

/**
 * A page costs about a quarter of a second's budget, so that a small budget is used evenly.
 * @returns the last position
 * @throws the error of a scan or a visit, after all workers have stopped; the last position given to `onPage` is valid
 */
export async function scanTable(options: TableScan): Promise<ScanPoint> {
  const { scan, budget, visit, onPage, concurrency, stop } = options;
  const segments = [...options.point.segments];
  /** With their index in the list. All workers take from it. */
  const waiting = options.point.segments.entries();
  let hasFailed = false;
  /** For an item: of the scan alone, and with its visit. */
  let [unitsPerItem, unitsPerVisit] = [0, 0];
  const isToStop = () => hasFailed || stop?.() === true;
  const point = (): ScanPoint => ({ segments: [...segments] });

  async function work(): Promise<void> {
    try {
      for (const [position, begun] of waiting)
        for (let segment = begun; !segment.done; ) {
          if (isToStop()) return;
          segment = await readPage(position, segment);
        }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  /** @returns the new position; unchanged if the scan was stopped before the page was read */
  async function readPage(position: number, segment: SegmentPoint): Promise<SegmentPoint> {
    const limit = limitOf(budget, unitsPerVisit);
    const estimate = Math.min(maxUnits, Math.max(0.5, limit * unitsPerItem));
    const { result: page, units } = await budget.spend(estimate, async (report) => {
      // The wait for the budget may have been long: check again.
      const read = isToStop() ? undefined : await scan.scan(segment, limit, segment.from);
      report(read?.units ?? 0);
      return read;
    });
    if (page === undefined) return segment;
    unitsPerItem = averageCost(unitsPerItem, units, page.entries.length);
    const before = budget.taken;
    const afterPage = await visit(page.entries);
    // Includes units that other workers took meanwhile. They do the same work, so each counts its share.
    const visited = (budget.taken - before) / concurrency;
    unitsPerVisit = averageCost(unitsPerVisit, units + visited, page.entries.length);
    const { index, of } = segment;
    const next = { index, of, ...(page.next && { from: page.next }), done: page.next === undefined };
    segments[position] = next;
    afterPage?.();
    await onPage?.({ items: page.entries.length, units, point: point() });
    return next;
  }

  const settled = await Promise.allSettled(Array.from({ length: concurrency }, work));
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
  return point();
}

function limitOf({ unitsPerSecond }: Budget, unitsPerVisit: number): number {
  if (unitsPerSecond === Number.POSITIVE_INFINITY) return maxItems;
  if (unitsPerVisit === 0) return firstLimit;
  const affordable = Math.floor((unitsPerSecond * pageShare) / unitsPerVisit);
  return Math.min(maxItems, Math.max(1, affordable));
}

/** A moving average, the last one weighted by a quarter: items of one kind are often next to each other. */
export function averageCost(before: number, units: number, items: number): number {
  if (items === 0) return before;
  return before === 0 ? units / items : before * 0.75 + (units / items) * 0.25;
}
