import { type ItemKey, keyIn } from '../../../model/item.ts';
import { Interrupted } from '../../scan/metered-table.ts';
import { isFinished, scanTable } from '../../scan/scan-table.ts';
import { type AgingRule, classifyAge, untilOf } from './aging.ts';
import type { SweepContext } from './sweep-context.ts';
import type { PartitionPoint, SweepSource } from './sweep-point.ts';

/** A page that has been visited. */
export interface VisitedRoots {
  readonly location: SweepSource;
  /** Items scanned, or index entries read. */
  readonly looked: number;
  readonly units: number;
}

export interface Search {
  readonly context: SweepContext;
  readonly rule: AgingRule;
  /** Receives the keys of items that may have aged. The search moves past a page only after this has resolved. */
  readonly visit: (keys: readonly ItemKey[]) => Promise<void>;
  /** Called after each page's visit, and awaited. */
  readonly onPage: (page: VisitedRoots) => Promise<void>;
}

/** Segments of a scan that are read in parallel. */
const sideBySide = 4;

/** Entries in a page of an index. */
const pageOfEntries = 100;

/**
 * Searches for items that may have aged, starting from a saved point. Scans and indexes may be out of date, so
 * `visit` must read the items again.
 * @returns whether the search reached its end; false if it was stopped
 */
export async function searchAged(search: Search, from: SweepSource): Promise<boolean> {
  try {
    return await (from.in === 'scan' ? searchTable(search, from) : searchIndex(search, from));
  } catch (error) {
    if (error instanceof Interrupted) return false;
    throw error;
  }
}

async function searchTable(
  { context, rule, visit, onPage }: Search,
  { scan: point }: Extract<SweepSource, { in: 'scan' }>,
): Promise<boolean> {
  const { table } = context.registry;
  const reached = await scanTable({
    scan: context.scan,
    budget: context.reads,
    point,
    concurrency: sideBySide,
    stop: context.stop,
    visit: (items) => {
      const now = context.clock.now();
      const asking = items.filter((item) =>
        ['aged', 'unclassified'].includes(classifyAge(table, rule, item, now).is),
      );
      return visit(asking.map((item) => keyIn(table, item)));
    },
    onPage: ({ items, units, point: scan }) =>
      onPage({ location: { in: 'scan', scan }, looked: items, units }),
  });
  return isFinished(reached);
}

async function searchIndex(search: Search, from: Extract<SweepSource, { in: 'index' }>): Promise<boolean> {
  const { visit, onPage } = search;
  const partitions = [...from.partitions];
  for (const [index, partition] of partitions.entries())
    for (let point = partition; !point.done; ) {
      const page = await readPage(search, point);
      await visit(page.entries);
      point = { pk: point.pk, ...(page.next && { from: page.next }), done: page.next === undefined };
      partitions[index] = point;
      const location = { ...from, partitions: [...partitions] };
      await onPage({ location, looked: page.entries.length, units: page.units });
    }
  return true;
}

/** Index entries vary in size, so the price of a page is corrected once it is known. */
async function readPage({ context, rule }: Search, { pk, from }: PartitionPoint) {
  const { found } = rule.ages;
  if (found.in !== 'index') return { entries: [], next: undefined, units: 0 };
  const estimate = 1;
  await context.reads.take(estimate);
  if (context.stop()) throw new Interrupted();
  const keyRange = { index: found.index, pk, until: untilOf(rule, context.clock.now()) };
  const page = await context.range.before(keyRange, pageOfEntries, from);
  context.reads.correct(page.units - estimate);
  return page;
}
