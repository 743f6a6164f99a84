import * as z from 'zod';
import type { Aggregate } from '../../model/aggregate.ts';
import { type Item, keyIn } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { Message } from '../../model/message.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { ClockPort, ScanPort } from '../../worker/ports.ts';
import type { Budget } from '../../worker/scan/budget.ts';
import { retry } from '../../worker/scan/clock.ts';
import { Interrupted } from '../../worker/scan/metered-table.ts';
import { type Moved, type ScanPoint, scanPointSchema, scanTable } from '../../worker/scan/scan-table.ts';
import type { LeftAlone, Propagations } from './repair.ts';

const count = z.int().min(0);

/** The progress of a backfill. Plain JSON with keys only, for a resume file. */
export const backfillStateSchema = z.object({
  point: scanPointSchema,
  /** Items scanned. */
  items: count,
  /** Roots propagated, or targets computed. */
  roots: count,
  written: count,
  removed: count,
  unchanged: count,
  lost: count,
  leftAlone: count,
});

export type BackfillState = z.output<typeof backfillStateSchema>;

export interface Backfill {
  readonly table: TableNames;
  readonly rule: Rule | Aggregate;
  readonly propagations: Propagations;
  readonly scan: ScanPort;
  readonly budget: Budget;
  readonly clock: ClockPort;
  /** Segments that are read in parallel. */
  readonly concurrency: number;
  readonly stop: () => boolean;
  readonly onLeftAlone: (leftAlone: readonly LeftAlone[]) => void;
  readonly onState?: (state: BackfillState) => void | Promise<void>;
}

export function backfillFrom(point: ScanPoint): BackfillState {
  return { point, items: 0, roots: 0, written: 0, removed: 0, unchanged: 0, lost: 0, leftAlone: 0 };
}

/**
 * Propagates every root of a rule, or every item that is its own copy, or computes every target of an aggregate: for items
 * that are older than the rule. It reads strongly consistent and writes only differences. Roots that are created during
 * the scan are propagated by the worker.
 * @returns the progress; complete if the scan is finished
 * @throws TransientError, FatalError as ports do; the last state given to `onState` is valid
 */
export async function backfill(work: Backfill, from: BackfillState): Promise<BackfillState> {
  let state = from;
  async function visit(items: readonly Item[]): Promise<Moved> {
    const messages = items.flatMap((item) => messageFor(work, item) ?? []);
    const { written, removed, unchanged, lost, leftAlone, unfinished } =
      await work.propagations.take(messages);
    function wrote(): void {
      state = {
        ...state,
        written: state.written + written,
        removed: state.removed + removed,
        lost: state.lost + lost,
      };
    }
    if (unfinished.length > 0) {
      // The page will be scanned again; its writes are counted now.
      wrote();
      throw new Interrupted();
    }
    return () => {
      wrote();
      work.onLeftAlone(leftAlone);
      state = {
        ...state,
        items: state.items + items.length,
        roots: state.roots + messages.length,
        unchanged: state.unchanged + unchanged,
        leftAlone: state.leftAlone + leftAlone.length,
      };
    };
  }
  try {
    await scanTable({
      scan: { scan: (...asked) => retry(work.clock, () => work.scan.scan(...asked)) },
      ...{ budget: work.budget, concurrency: work.concurrency, point: from.point, stop: work.stop, visit },
      onPage: async ({ point }) => {
        state = { ...state, point };
        await work.onState?.(state);
      },
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  return state;
}

function messageFor({ table, rule }: Backfill, item: Item): Message | undefined {
  if (!isOfKind(table, 'computes' in rule ? rule.on : rule.root, item)) return undefined;
  const key = keyIn(table, item);
  const propagation = { rule: rule.name, root: key, cause: 'repair', attempts: 0 } as const;
  // Names the item as the copy, so that it is read once.
  return 'located' in rule && rule.located.in === 'itself' ? { ...propagation, copies: [key] } : propagation;
}
