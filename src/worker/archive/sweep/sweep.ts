/**
 * A sweep archives finished items, then sets their TTL. A pass looks at all items of one rule that may have aged. It
 * may take several runs; each continues where the one before stopped.
 *
 *   begin ──visit a page──> save the point ──> next page … ──> finished: the next run begins another pass
 *              └─killed or stopped─> the next run visits the page again; no work is repeated
 *
 * Items that were swept have a TTL, so a page that is visited again shows which ones are complete.
 */
import { chunksOf } from '../../../model/chunks-of.ts';
import type { ItemKey } from '../../../model/item.ts';
import { unlimited } from '../../scan/budget.ts';
import { retry } from '../../scan/clock.ts';
import { Interrupted, meteredTable } from '../../scan/metered-table.ts';
import { isFinished, type VisitedPage } from '../../scan/scan-table.ts';
import { searchAged, searchedScan } from './aged-roots.ts';
import { type AgingRule, ages } from './aging.ts';
import type { SweepContext, SweepReport } from './sweep-context.ts';
import { loadPoint, pointOf, type SweepPoint, savePoint } from './sweep-point.ts';
import { sweepRoots } from './sweep-roots.ts';
import { ItemOutcomes, SweepTally } from './sweep-tally.ts';

export interface SweepOptions {
  /** The name of the table. A point that was saved for another table is ignored. */
  readonly tableName: string;
  /** Names of rules. Default: every rule with aging items. */
  readonly rules?: readonly string[];
  /** Whether to count only: starts from the beginning and writes nothing, not even the point. */
  readonly dryRun?: boolean;
  /** Called after each page with the totals so far. */
  readonly onPage?: (report: SweepReport) => void;
}

/**
 * Roots that are swept together, by layout. A batch should have many lines.
 */
const rootsAtOnce = { object: 25, batch: 100 } as const;

/**
 * Sweeps by each rule with aging items, the rule that waited longest first, until all passes are complete or `stop`
 * returns true.
 * @returns a report for each rule that was started
 * @throws the first error, after every rule has been tried; saved points remain
 */
export async function sweep(context: SweepContext, options: SweepOptions): Promise<readonly SweepReport[]> {
  const waiting = await rulesInTurn(context, options);
  const reports: SweepReport[] = [];
  const errors: unknown[] = [];
  for (const { rule, point } of waiting) {
    if (context.stop()) break;
    const pass = new Pass(context, rule, options, point);
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

interface Waiting {
  readonly rule: AgingRule;
  readonly point: SweepPoint | undefined;
}

/** The rule that ran last goes last: a rule that uses all of a run's time must not keep the others waiting. */
async function rulesInTurn(
  { registry, notes, clock, stop }: SweepContext,
  { rules, dryRun }: SweepOptions,
): Promise<readonly Waiting[]> {
  const aging = registry.archives.filter(ages).filter(({ name }) => rules?.includes(name) ?? true);
  const waiting: Waiting[] = [];
  for (const rule of aging)
    waiting.push({
      rule,
      point: dryRun === true ? undefined : await retry(clock, () => loadPoint(notes, rule.name), stop),
    });
  return waiting.toSorted((a, b) => (a.point?.ranAt ?? 0) - (b.point?.ranAt ?? 0));
}

/** One run of one rule's pass. */
class Pass {
  private readonly context: SweepContext;
  private readonly rule: AgingRule;
  private readonly options: SweepOptions;
  private readonly tally = new SweepTally();
  private readonly metered: ReturnType<typeof meteredTable>;
  private point: SweepPoint;
  private searchUnits = 0;
  private keeping: Promise<void> = Promise.resolve();

  constructor(context: SweepContext, rule: AgingRule, options: SweepOptions, saved: SweepPoint | undefined) {
    const { reads, clock, table, stop } = context;
    const writes = unlimited(clock);
    this.metered = meteredTable(table, { reads, writes, stop, stops: 'every' });
    // The search keeps to the budget itself.
    this.context = { ...context, scan: searchedScan(context, rule), table: this.metered.port };
    this.rule = rule;
    this.options = options;
    this.point = pointOf(rule, options.tableName, saved, clock.now());
  }

  async run(): Promise<void> {
    const { context, rule, point } = this;
    try {
      const reached = await searchAged({
        ...{ context, rule, from: point.scan },
        visit: (keys) => this.visit(keys),
        onPage: (page) => this.onPage(page),
      });
      if (reached !== undefined && isFinished(reached))
        this.point = { ...this.point, finished: context.clock.now() };
      await this.keep();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
    }
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

  private async visit(keys: readonly ItemKey[]): Promise<void> {
    const { context, rule, tally, options } = this;
    const size = rootsAtOnce[rule.layout];
    for (const some of chunksOf(keys, size)) {
      const outcomes = new ItemOutcomes();
      const now = context.clock.now();
      const work = { context, rule, now, dryRun: options.dryRun === true, tally, outcomes };
      await this.retry(() => sweepRoots(work, some));
      tally.add(outcomes);
    }
  }

  private async onPage({ items, units, point: scan }: VisitedPage): Promise<void> {
    this.tally.looked += items;
    this.searchUnits += units;
    this.point = { ...this.point, scan };
    await this.keep();
    this.options.onPage?.(this.report());
  }

  /** Saves are sequential, and each saves the latest point, so that an older point never overwrites a newer one. */
  private keep(): Promise<void> {
    if (this.options.dryRun === true) return Promise.resolve();
    this.keeping = this.keeping.then(() => this.retry(() => savePoint(this.context.notes, this.point)));
    return this.keeping;
  }

  /** Retries transient errors unless the run is stopped. */
  private retry(work: () => Promise<void>): Promise<void> {
    const { clock, stop } = this.context;
    async function sleep(milliseconds: number): Promise<void> {
      if (stop()) throw new Interrupted();
      await clock.sleep(milliseconds);
    }
    return retry({ now: () => clock.now(), sleep }, work);
  }
}
