import { type ItemKey, keyIn } from '../../model/item.ts';
import { type AgingRule, agedBefore, judgeAge } from './aging.ts';
import { isFinished, scanTable } from '../../scan/scan-table.ts';
import { Stopped } from './stoppable-table.ts';
import type { SweepEngine } from './sweep-context.ts';
import type { PartitionPoint, SweepPlace } from './sweep-point.ts';

/** A page that has been visited. */
export interface VisitedRoots {
  readonly place: SweepPlace;
  /** Items that were looked at, or entries of an index. */
  readonly looked: number;
  readonly units: number;
}

export interface Search {
  readonly engine: SweepEngine;
  readonly rule: AgingRule;
  /** Sees the keys of items that may have aged. The search moves past a page only when this has resolved. */
  readonly visit: (keys: readonly ItemKey[]) => Promise<void>;
  /** Told of each page after its visit, and waited for. */
  readonly onPage: (page: VisitedRoots) => Promise<void>;
}

/** Segments of a scan that are read side by side. */
const sideBySide = 4;

/** Entries of an index in a page. */
const pageOfEntries = 100;

/**
 * Looks for items that may have aged, from a place on. What a scan or an index shows may be out of date: who visits them
 * reads them again.
 * @returns whether it came to its end; false where it was asked to stop before
 */
export async function searchAged(search: Search, from: SweepPlace): Promise<boolean> {
  try {
    return await (from.in === 'scan' ? searchTable(search, from) : searchIndex(search, from));
  } catch (error) {
    if (error instanceof Stopped) return false;
    throw error;
  }
}

async function searchTable(
  { engine, rule, visit, onPage }: Search,
  { scan: point }: Extract<SweepPlace, { in: 'scan' }>,
): Promise<boolean> {
  const { table } = engine.registry;
  const reached = await scanTable({
    scan: engine.scan,
    budget: engine.reads,
    point,
    concurrency: sideBySide,
    stop: engine.stop,
    visit: (items) => {
      const now = engine.clock.now();
      const asking = items.filter((item) =>
        ['aged', 'unjudged'].includes(judgeAge(table, rule, item, now).is),
      );
      return visit(asking.map((item) => keyIn(table, item)));
    },
    onPage: ({ items, units, point: scan }) => onPage({ place: { in: 'scan', scan }, looked: items, units }),
  });
  return isFinished(reached);
}

async function searchIndex(search: Search, from: Extract<SweepPlace, { in: 'index' }>): Promise<boolean> {
  const { visit, onPage } = search;
  const partitions = [...from.partitions];
  for (const [index, partition] of partitions.entries())
    for (let point = partition; !point.done; ) {
      const page = await readPage(search, point);
      await visit(page.entries);
      point = { pk: point.pk, ...(page.next && { from: page.next }), done: page.next === undefined };
      partitions[index] = point;
      const place = { ...from, partitions: [...partitions] };
      await onPage({ place, looked: page.entries.length, units: page.units });
    }
  return true;
}

/** An entry may be large, and nothing is known of it beforehand: the price of a page is corrected when it is known. */
async function readPage({ engine, rule }: Search, { pk, from }: PartitionPoint) {
  const { found } = rule.ages;
  if (found.in !== 'index') return { entries: [], next: undefined, units: 0 };
  const estimate = 1;
  await engine.reads.take(estimate);
  if (engine.stop()) throw new Stopped('Asked to stop');
  const stretch = { index: found.index, pk, until: found.until(agedBefore(rule.ages, engine.clock.now())) };
  const page = await engine.range.before(stretch, pageOfEntries, from);
  engine.reads.settle(page.units - estimate);
  return page;
}
