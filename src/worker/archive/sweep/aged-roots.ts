import { type Item, type ItemKey, keysIn } from '../../../model/item.ts';
import type { ScanPort } from '../../ports.ts';
import { Interrupted } from '../../scan/metered-table.ts';
import { type ScanPoint, scanTable, type VisitedPage } from '../../scan/scan-table.ts';
import { type AgingRule, classifyAge, untilOf } from './aging.ts';
import type { SweepContext } from './sweep-context.ts';
import { partitionsOf } from './sweep-point.ts';

export interface Search {
  readonly context: SweepContext;
  readonly rule: AgingRule;
  readonly from: ScanPoint;
  /** Receives the keys of items that may have aged. The search moves past a page only after this has resolved. */
  readonly visit: (keys: readonly ItemKey[]) => Promise<void>;
  /** Called after each page's visit, and awaited. */
  readonly onPage: (page: VisitedPage) => Promise<void>;
}

/** Segments of the table that are read in parallel. */
const segmentsAtOnce = 4;

/** Entries in a page of an index. */
const pageOfEntries = 100;

/**
 * Searches for items that may have aged: in the table, or in partitions of an index, which are read one after another like the
 * segments of a table. Both may be out of date, so `visit` must read the items again.
 * @returns how far the search came; undefined if a visit was interrupted
 */
export async function searchAged({
  context,
  rule,
  from,
  visit,
  onPage,
}: Search): Promise<ScanPoint | undefined> {
  const { table } = context.registry;
  const { found } = rule.ages;
  const mayHaveAged = (item: Item) =>
    found.in === 'index' || classifyAge(table, rule, item, context.clock.now()).is !== 'young';
  try {
    return await scanTable({
      scan: context.scan,
      budget: context.reads,
      point: from,
      concurrency: found.in === 'index' ? 1 : segmentsAtOnce,
      stop: context.stop,
      visit: (items) => visit(keysIn(table, items.filter(mayHaveAged))),
      onPage,
    });
  } catch (error) {
    if (error instanceof Interrupted) return undefined;
    throw error;
  }
}

/** What a rule's items are searched in: the table, or partitions of an index as its segments, of whose items only the keys are known. */
export function searchedScan({ table, scan, clock }: SweepContext, rule: AgingRule): ScanPort {
  const { found } = rule.ages;
  if (found.in !== 'index') return scan;
  const index = found.index.name;
  return {
    async scan({ index: segment }, limit, from) {
      const pk = partitionsOf(found)[segment] ?? '';
      const range = { in: 'index', index, pk, before: untilOf(rule, clock.now()) } as const;
      const page = await table.query(range, Math.min(limit, pageOfEntries), from);
      return { ...page, units: page.units ?? 0 };
    },
  };
}
