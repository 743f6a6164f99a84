/**
 * A sweep archives finished items, then sets their TTL. A pass looks at all items of one rule that may have aged. It
 * may take several runs; each continues where the one before stopped.
 *
 *   begin ──visit a page──> save the point ──> next page … ──> finished: the next run begins another pass
 *              └─killed or stopped─> the next run visits the page again; no work is repeated
 *
 * Items that were swept have a TTL, so a page that is visited again shows which ones are complete.
 */
import * as z from 'zod/mini';
import { chunksOf } from '../../../model/basics/chunks-of.ts';
import { jsonOrUndefined } from '../../../model/basics/parse-json.ts';
import type { QueriedRange } from '../../../model/items/copy-location.ts';
import { rangeGiven } from '../../../model/items/given-keys.ts';
import type { KeyedItem } from '../../../model/items/item.ts';
import type { AgingFound } from '../../../model/rules/archive-rule.ts';
import { unlimited } from '../../budget.ts';
import type { ScanPort } from '../../ports.ts';
import { retryingOutages } from '../../retry.ts';
import { Interrupted, meteredTable, unlessInterrupted } from '../../scan/metered-table.ts';
import {
  isFinished,
  scanPointSchema,
  scanTable,
  type VisitedPage,
  wholeTable,
} from '../../scan/scan-table.ts';
import type { ArchiveNotes } from '../ports.ts';
import { type AgingRule, ages, classifyAge, untilOf } from './aging.ts';
import { ItemOutcomes, type SweepContext, type SweepReport, SweepTally } from './sweep-context.ts';
import { sweepRoots } from './sweep-roots.ts';

export interface SweepOptions {
  /** A point that was saved for another table is ignored. */
  readonly tableName: string;
  /** Default: every rule with aging items. */
  readonly rules?: readonly string[];
  /** Starts from the beginning and writes nothing, not even the point. */
  readonly dryRun?: boolean;
  /** Called after each page, with the totals so far. */
  readonly onPage?: (report: SweepReport) => void;
}

/** By layout. A batch should have many lines. */
const rootsAtOnce = { object: 25, batch: 100 } as const;

const segmentsAtOnce = 4;

const pageOfEntries = 100;

/**
 * Until all passes are complete or `stop` returns true.
 * @returns a report for each rule that was started
 * @throws the first error, after every rule has been tried; saved points remain
 */
export async function sweep(context: SweepContext, options: SweepOptions): Promise<readonly SweepReport[]> {
  const reports: SweepReport[] = [];
  const errors: unknown[] = [];
  for (const { rule, saved } of await rulesInTurn(context, options)) {
    if (context.stop()) break;
    const pass = new Pass(context, rule, options, saved);
    try {
      await pass.run();
    } catch (error) {
      context.telemetry.failed(error);
      errors.push(error);
    }
    reports.push(pass.report());
    if (options.dryRun !== true) context.telemetry.swept(pass.report());
  }
  if (errors.length > 0) throw errors[0];
  return reports;
}

/** The rule that ran last goes last: a rule that uses all of a run's time must not keep the others waiting. */
async function rulesInTurn(
  { registry, notes, clock, stop }: SweepContext,
  { rules, dryRun }: SweepOptions,
): Promise<readonly { readonly rule: AgingRule; readonly saved: SweepPoint | undefined }[]> {
  const waiting = [];
  for (const rule of registry.archives.filter(ages))
    if (rules?.includes(rule.name) ?? true) {
      const saved = dryRun
        ? undefined
        : await retryingOutages(clock, { stop })(() => loadPoint(notes, rule.name));
      waiting.push({ rule, saved });
    }
  return waiting.toSorted((a, b) => (a.saved?.ranAt ?? 0) - (b.saved?.ranAt ?? 0));
}

class Pass {
  private readonly context: SweepContext;
  private readonly rule: AgingRule;
  private readonly options: SweepOptions;
  private readonly tally = new SweepTally();
  private readonly metered: ReturnType<typeof meteredTable>;
  private point: SweepPoint;
  private searchUnits = 0;
  private saving: Promise<void> = Promise.resolve();

  constructor(context: SweepContext, rule: AgingRule, options: SweepOptions, saved: SweepPoint | undefined) {
    const { reads, clock, table, stop } = context;
    this.metered = meteredTable(table, { reads, writes: unlimited(clock), stop, stops: 'every' });
    // The search keeps to the budget itself.
    this.context = { ...context, scan: searchedScan(context, rule), table: this.metered.port };
    this.rule = rule;
    this.options = options;
    this.point = pointOf(rule, options.tableName, saved, clock.now());
  }

  async run(): Promise<void> {
    await this.search().catch(unlessInterrupted);
    await this.save().catch(unlessInterrupted);
  }

  private async search(): Promise<void> {
    const { context, rule } = this;
    const scan = await scanTable({
      scan: context.scan,
      budget: context.reads,
      stop: context.stop,
      point: this.point.scan,
      // Partitions of an index are read one after another.
      concurrency: rule.ages.found.in === 'index' ? 1 : segmentsAtOnce,
      visit: (items) => this.visit(items),
      onPage: (page) => this.onPage(page),
    });
    if (isFinished(scan)) this.point = { ...this.point, finished: context.clock.now() };
  }

  report(): SweepReport {
    const { rule, tally, metered, searchUnits, point, context } = this;
    return {
      rule: rule.name,
      looked: tally.looked,
      kinds: structuredClone(tally.kinds),
      stored: tally.stored,
      readUnits: searchUnits + metered.spent.readUnits,
      writeUnits: metered.spent.writeUnits,
      finished: point.finished !== undefined,
      started: point.started,
      at: context.clock.now(),
    };
  }

  /** The search may be out of date, so these items are read again. */
  private async visit(items: readonly KeyedItem[]): Promise<void> {
    const { context, rule, tally, options } = this;
    const now = () => context.clock.now();
    // Of the entries of an index, only the keys are known.
    const mayHaveAged = ({ item }: KeyedItem) =>
      rule.ages.found.in === 'index' || classifyAge(rule, item, now()).is !== 'young';
    const aged = items.filter(mayHaveAged).map(({ key }) => key);
    for (const keys of chunksOf(aged, rootsAtOnce[rule.layout])) {
      const outcomes = new ItemOutcomes();
      const work = { context, rule, now: now(), dryRun: options.dryRun === true, tally, outcomes };
      try {
        await this.retry(() => sweepRoots(work, keys));
      } finally {
        // Whatever ends it may come after some were swept.
        tally.add(outcomes);
      }
    }
  }

  private async onPage({ items, units, point: scan }: VisitedPage): Promise<void> {
    this.tally.looked += items;
    this.searchUnits += units;
    this.point = { ...this.point, scan };
    await this.save();
    this.options.onPage?.(this.report());
  }

  /** Sequential, and each the latest point, so that an older one never overwrites a newer one. */
  private async save(): Promise<void> {
    if (this.options.dryRun === true) return;
    this.saving = this.saving.then(() => this.retry(() => savePoint(this.context.notes, this.point)));
    await this.saving;
  }

  private retry(work: () => Promise<void>): Promise<void> {
    const { clock, stop } = this.context;
    const onRetry = () => {
      if (stop()) throw new Interrupted();
    };
    return retryingOutages(clock, { onRetry })(work);
  }
}

/** The table, or partitions of an index as its segments. */
function searchedScan({ table, scan, clock }: SweepContext, rule: AgingRule): ScanPort {
  const { found } = rule.ages;
  if (found.in !== 'index') return scan;
  const index = found.index.name;
  return {
    async scan({ index: segment }, limit, from) {
      const pk = partitionsOf(found)[segment] ?? '';
      const range = { in: 'index', index, pk, to: untilOf(rule, clock.now()) } as const;
      const page = await table.query(range, Math.min(limit, pageOfEntries), from);
      return { ...page, units: page.units ?? 0 };
    },
  };
}

/** Keys and cursors, never item content. Times in epoch milliseconds. */
const pointSchema = z.object({
  rule: z.string(),
  /** With another table, fewer days or other partitions, the pass would have skipped items already. */
  searches: z.object({
    table: z.string(),
    agedAfterDays: z.number(),
    partitions: z.array(z.union([z.string(), z.readonly(z.array(z.string()))])),
  }),
  started: z.number(),
  /** When a run last worked on it. */
  ranAt: z.number(),
  /** The next run begins another pass. */
  finished: z.optional(z.number()),
  /** In the segments of the table, or in the partitions of the index, in their order. */
  scan: scanPointSchema,
});

type SweepPoint = z.output<typeof pointSchema>;

/** They cannot change during the pass. */
const segments = 16;

/** Beside the archive, so that any run anywhere can continue from it. */
function noteOf(rule: string): string {
  return `state/sweep-${rule}.json`;
}

/** Undefined if it is missing or unreadable. */
async function loadPoint(notes: ArchiveNotes, rule: string): Promise<SweepPoint | undefined> {
  const text = await notes.read(noteOf(rule));
  return pointSchema.safeParse(text && jsonOrUndefined(text)).data;
}

async function savePoint(notes: ArchiveNotes, point: SweepPoint): Promise<void> {
  await notes.write(noteOf(point.rule), `${JSON.stringify(point)}\n`);
}

/** In an order that does not depend on the rule's. */
function partitionsOf({ pks, index }: Extract<AgingFound, { in: 'index' }>): readonly QueriedRange['pk'][] {
  const texts = pks.map((pk) => rangeGiven(index, { pk }).pk);
  const distinct = new Map(texts.map((pk) => [typeof pk === 'string' ? pk : JSON.stringify(pk), pk]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pk]) => pk);
}

/**
 * At the saved position if its pass is not complete and searches for the same items.
 * @param now in epoch milliseconds
 */
function pointOf(
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
