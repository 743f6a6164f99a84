import * as z from 'zod';
import { type Item, keyIn } from '../model/item.ts';
import { isOfKind } from '../model/kind.ts';
import type { Message } from '../model/message.ts';
import type { Rule } from '../model/rule.ts';
import type { TableNames } from '../model/table-names.ts';
import type { ClockPort, ScanPort } from '../ports.ts';
import type { Budget } from '../scan/budget.ts';
import { retry } from '../scan/clock.ts';
import { Interrupted } from '../scan/metered-table.ts';
import { type Moved, type ScanPoint, scanPointSchema, scanTable } from '../scan/scan-table.ts';
import type { LeftAlone, Propagations } from './repair.ts';

const count = z.int().min(0);

/** How far a backfill has come. Plain JSON, keys only: a resume file holds it. */
export const backfillStateSchema = z.object({
  point: scanPointSchema,
  /** Items that the scan has seen. */
  items: count,
  /** Roots that had their turn. */
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
  readonly rule: Rule;
  readonly propagations: Propagations;
  readonly scan: ScanPort;
  readonly budget: Budget;
  readonly clock: ClockPort;
  /** Segments that are read side by side. */
  readonly concurrency: number;
  readonly stop: () => boolean;
  readonly onLeftAlone: (leftAlone: readonly LeftAlone[]) => void;
  readonly onState?: (state: BackfillState) => void | Promise<void>;
}

export function backfillFrom(point: ScanPoint): BackfillState {
  return { point, items: 0, roots: 0, written: 0, removed: 0, unchanged: 0, lost: 0, leftAlone: 0 };
}

/**
 * Runs a propagation for every root of a rule that a scan finds, or for every item that is its own copy: what was there before
 * the rule was. A propagation reads root and copies as they are then, strongly consistent, and writes only what differs. A root
 * that comes to be meanwhile, wherever the scan is, matches by itself.
 * @returns how far it came: finished where the scan is
 * @throws TransientError, FatalError as ports do; the last state that `onState` was told stands
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
      // The page is gone through again; what was written stays written.
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
  if (!isOfKind(table, rule.root, item)) return undefined;
  const key = keyIn(table, item);
  const propagation = { rule: rule.name, root: key, cause: 'repair', attempts: 0 } as const;
  // An item that is its own copy is named, so that it is read once.
  return rule.located.in === 'itself' ? { ...propagation, copies: [key] } : propagation;
}
