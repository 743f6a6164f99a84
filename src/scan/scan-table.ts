import * as z from 'zod';
import type { Item } from '../model/item.ts';
import { cursorSchema } from '../model/message.ts';
import type { ScanPort } from '../ports.ts';
import type { Budget } from './budget.ts';

/**
 * How far a scan has come: its segments, and where each goes on. Plain JSON, for a resume file. Segments that are not
 * listed are not read: that is what a sample is.
 */
export const scanPointSchema = z.object({
  segments: z.array(
    z.object({
      index: z.int().min(0),
      of: z.int().min(1).max(1_000_000),
      from: cursorSchema.optional(),
      done: z.boolean(),
    }),
  ),
});

export type ScanPoint = z.output<typeof scanPointSchema>;
type SegmentPoint = ScanPoint['segments'][number];

/** A page that was visited, and how far the scan has come with it. */
export interface VisitedPage {
  readonly items: number;
  /** Read units that the page cost. */
  readonly units: number;
  readonly point: ScanPoint;
}

export interface TableScan {
  readonly scan: ScanPort;
  /**
   * Read units of the scan; what a visit reads besides is for the visitor to take of it, and makes pages smaller: so that
   * whoever asks to stop is not kept for long.
   */
  readonly budget: Budget;
  /** Where to begin: {@link wholeTable}, {@link sampleOf}, or where another scan stopped. */
  readonly point: ScanPoint;
  /** Segments that are read side by side, 1 or more. */
  readonly concurrency: number;
  /**
   * Sees the items of a page. The scan moves past a page only when this has resolved; what it resolves to, if anything, is
   * called in the very moment in which the point moves: for counts that are to agree with it.
   */
  readonly visit: (items: readonly Item[]) => Promise<Moved | undefined> | Promise<void>;
  /** Asked before each page; where it says true, what is under way is finished and nothing is begun. */
  readonly stop?: () => boolean;
  /** Told of each page after its visit. What it returns is waited for. */
  readonly onPage?: (page: VisitedPage) => void | Promise<void>;
}

export type Moved = () => void;

/** The beginning of a scan of everything. @param segments 1 to 1,000,000 */
export function wholeTable(segments: number): ScanPoint {
  return {
    segments: Array.from({ length: segments }, (_, index) => ({ index, of: segments, done: false })),
  };
}

/** The most segments that a scan can have. Source: AWS, "Scan", TotalSegments. */
const maxSegments = 1_000_000;

/** How many segments a sample reads: one alone may hold a single large partition, or nothing. */
const sampledSegments = 10;

/**
 * The beginning of a scan of a share of the table: ten of so many segments that they are that share, taken at random.
 * Items of one partition are in one segment, so a table of few partitions gives an uneven sample.
 * @param share above 0, at most 1
 * @param random 0 to 1, as `Math.random`
 */
export function sampleOf(share: number, random: () => number): ScanPoint {
  const of = Math.min(maxSegments, Math.round(sampledSegments / share));
  const chosen = new Set<number>();
  while (chosen.size < Math.min(sampledSegments, of)) chosen.add(Math.floor(random() * of));
  return { segments: [...chosen].map((index) => ({ index, of, done: false })) };
}

/** Whether nothing is left to read. */
export function isFinished({ segments }: ScanPoint): boolean {
  return segments.every(({ done }) => done);
}

/** A page is to cost this share of a second's budget. */
const pageShare = 1 / 4;

/** The most that a page costs: 1 MB, read eventually consistent. Source: AWS, "Scan". */
const maxUnits = 128;

/** Items of a page, while nothing is known of their size. */
const firstLimit = 25;
const maxItems = 1000;

/**
 * Scans a table page by page, all segments side by side up to a concurrency, within a budget. Pages are as large as costs
 * about a quarter of a second's budget, so that a small budget is used evenly.
 * @returns how far it came: finished, or where `stop` held it
 * @throws what a scan or a visit throws, when nothing is under way any more; the last point that `onPage` was told stands
 */
export async function scanTable(work: TableScan): Promise<ScanPoint> {
  const running = new RunningScan(work);
  const workers = Array.from({ length: work.concurrency }, () => running.work());
  const settled = await Promise.allSettled(workers);
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
  return running.point();
}

class RunningScan {
  private readonly options: TableScan;
  private readonly segments: SegmentPoint[];
  /** Segments that nobody has begun with, each with its place in the list. All workers draw from it. */
  private readonly waiting: IterableIterator<[number, SegmentPoint]>;
  private failed = false;
  /** Read units for an item, as pages so far have shown: of the scan alone, and with what visits took. */
  private unitsPerItem = 0;
  private unitsPerVisit = 0;

  constructor(options: TableScan) {
    this.options = options;
    this.segments = [...options.point.segments];
    this.waiting = options.point.segments.entries();
  }

  point(): ScanPoint {
    return { segments: [...this.segments] };
  }

  /** Reads one segment after another, as long as there are any. */
  async work(): Promise<void> {
    try {
      for (const [location, begun] of this.waiting)
        for (let segment = begun; !segment.done; ) {
          if (this.isToStop()) return;
          segment = await this.readPage(location, segment);
        }
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }

  private isToStop(): boolean {
    return this.failed || this.options.stop?.() === true;
  }

  /** @returns where the segment goes on: where it was, if somebody asked to stop before the page was read */
  private async readPage(location: number, segment: SegmentPoint): Promise<SegmentPoint> {
    const { scan, budget, visit, onPage, concurrency } = this.options;
    const limit = this.limit();
    const estimate = this.estimate(limit);
    await budget.take(estimate);
    // A wait may be long: who asked to stop meanwhile is not kept.
    if (this.isToStop()) {
      budget.correct(-estimate);
      return segment;
    }
    const page = await scan.scan(segment, limit, segment.from);
    budget.correct(page.units - estimate);
    this.unitsPerItem = learnt(this.unitsPerItem, page.units, page.entries.length);
    const before = budget.taken;
    const moved = await visit(page.entries);
    // What others took meanwhile is in it: they do the same work, and each of them counts a share.
    const visited = (budget.taken - before) / concurrency;
    this.unitsPerVisit = learnt(this.unitsPerVisit, page.units + visited, page.entries.length);
    const { index, of } = segment;
    const next = { index, of, ...(page.next && { from: page.next }), done: page.next === undefined };
    this.segments[location] = next;
    moved?.();
    await onPage?.({ items: page.entries.length, units: page.units, point: this.point() });
    return next;
  }

  private limit(): number {
    const { unitsPerSecond } = this.options.budget;
    if (unitsPerSecond === Number.POSITIVE_INFINITY) return maxItems;
    if (this.unitsPerVisit === 0) return firstLimit;
    const fitting = Math.floor((unitsPerSecond * pageShare) / this.unitsPerVisit);
    return Math.min(maxItems, Math.max(1, fitting));
  }

  private estimate(limit: number): number {
    return Math.min(maxUnits, Math.max(0.5, limit * this.unitsPerItem));
  }
}

/** An average that moves by a quarter with each page that held anything: items of one kind often stand together. */
function learnt(before: number, units: number, items: number): number {
  if (items === 0) return before;
  return before === 0 ? units / items : before * 0.75 + (units / items) * 0.25;
}
