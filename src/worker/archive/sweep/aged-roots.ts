import type { AgingFound } from '../../../model/archive-rule.ts';
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
      scan: found.in === 'index' ? partitionsAsSegments(context, rule, found) : context.scan,
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

/** The partitions of an index as the segments of a table, of whose items only the keys are known. */
function partitionsAsSegments(
  { range, registry, clock }: SweepContext,
  rule: AgingRule,
  found: Extract<AgingFound, { in: 'index' }>,
): ScanPort {
  const { pk: pkName, sk: skName } = registry.table;
  return {
    async scan({ index: segment }, limit, from) {
      const pk = partitionsOf(found)[segment] ?? '';
      const keyRange = { index: found.index, pk, until: untilOf(rule, clock.now()) };
      const page = await range.before(keyRange, Math.min(limit, pageOfEntries), from);
      return {
        ...page,
        entries: page.entries.map(({ pk, sk }) => ({ [pkName]: { S: pk }, [skName]: { S: sk } })),
      };
    },
  };
}
