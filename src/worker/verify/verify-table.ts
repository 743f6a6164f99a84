import type { Aggregate } from '../../model/aggregate.ts';
import type { Item } from '../../model/item.ts';
import type { Rule } from '../../model/rule.ts';
import type { ClockPort, ScanPort } from '../ports.ts';
import type { Budget } from '../scan/budget.ts';
import { retry } from '../scan/clock.ts';
import { Interrupted } from '../scan/metered-table.ts';
import { type Moved, scanTable } from '../scan/scan-table.ts';
import type { Drift, Found } from './drift.ts';
import { candidatesIn, type Look, lookAt, type VerifyContext } from './inspect.ts';
import type { RepairPass } from './repair-order.ts';
import { suspectedDrifts, suspectedIn } from './suspected-drift.ts';
import type { Suspects } from './suspects.ts';
import {
  isPassed,
  noCounts,
  type RuleCounts,
  type SuspectedDrift,
  type VerifyState,
  verifyFrom,
} from './verify-state.ts';

/** Everything that a search for drift needs. */
export interface Search extends VerifyContext {
  /** The rules whose copies are checked. */
  readonly rules: readonly Rule[];
  /** The aggregates whose targets are checked. */
  readonly aggregates: readonly Aggregate[];
  readonly clock: ClockPort;
  /** How long a change may take to reach its copies, in milliseconds. */
  readonly grace: number;
  /** Asked before anything is started. If it returns true, the search ends where it is. */
  readonly stop: () => boolean;
  /** If it returns true, suspects are not checked any more either. Default: `stop`. */
  readonly stopLooking?: () => boolean;
  /** Receives drift as it is found. After it has resolved, the drift is counted, unless the result postpones it. */
  readonly onDrift: (found: readonly Found[]) => Promise<Told | undefined> | Promise<void>;
  /** Called whenever the search has advanced; the state can be saved to resume from it. */
  readonly onState?: (state: VerifyState) => void | Promise<void>;
}

/** The answer to reported drift. */
export interface Told {
  /** Called at the moment when the state starts to count the drift. */
  readonly moved: Moved;
  /** Not counted yet: it is reported again when the search resumes. */
  readonly postponed: readonly Drift[];
}

export interface TableSearch extends Search {
  readonly scan: ScanPort;
  readonly budget: Budget;
  /** Segments that are read in parallel. */
  readonly concurrency: number;
  /** What each pass over the table checks. Default: one pass, with all rules and aggregates. */
  readonly passes?: readonly RepairPass[];
}

/** If there are more suspects than this, the scan waits until some have been checked. */
const maxSuspects = 2000;

/**
 * Searches a table for drift, from a saved state on. Writes nothing.
 * @returns the final state: finished if everything was read and no suspects are left
 * @throws TransientError, FatalError as ports do; the last state given to `onState` is valid
 */
export async function verifyTable(search: TableSearch, from: VerifyState): Promise<VerifyState> {
  const { passes = [search] } = search;
  let state = from;
  for (;;) {
    const { rules, aggregates = [] } = passes[state.pass] ?? search;
    state = await verifyPass({ ...search, rules, aggregates }, state);
    if (!isPassed(state) || state.pass + 1 >= passes.length) return state;
    const segments = state.point.segments.map(({ index, of }) => ({ index, of, done: false }));
    state = { ...state, pass: state.pass + 1, point: { segments } };
  }
}

async function verifyPass(search: TableSearch, from: VerifyState): Promise<VerifyState> {
  const running = new RunningSearch(search, from);
  const { scan, budget, concurrency, clock, stop } = search;
  return running.stateAfter(() =>
    scanTable({
      scan: { scan: (...asked) => retry(clock, () => scan.scan(...asked), stop) },
      ...{ budget, concurrency, point: from.point, stop },
      visit: (items) => running.visit(items),
      onPage: ({ point }) => running.reached(point),
    }),
  );
}

/** Copies that were not scanned have no segments. */
const noSegments: VerifyState['point'] = { segments: [] };

/**
 * Searches these copies for drift, as they were read.
 * @returns the counts for each rule, up to the end or a stop
 */
export async function verifyCopies(
  search: Search,
  pages: AsyncIterable<readonly Item[]>,
): Promise<VerifyState> {
  const running = new RunningSearch(search, verifyFrom(noSegments, []));
  return running.stateAfter(async () => {
    for await (const page of pages) {
      (await running.visit(page))();
      await running.reached(noSegments);
      if (search.stop()) break;
    }
  });
}

class RunningSearch {
  private readonly search: Search;
  private readonly suspectedDrifts: Suspects<SuspectedDrift>;
  private readonly rules: Map<string, RuleCounts>;
  private readonly pass: number;
  private point: VerifyState['point'];
  private items: number;

  constructor(search: Search, from: VerifyState) {
    this.search = { ...search, table: retryingTable(search) };
    this.pass = from.pass;
    this.point = from.point;
    this.items = from.items;
    this.rules = new Map(Object.entries(structuredClone(from.rules)));
    this.suspectedDrifts = suspectedDrifts(
      {
        ...this.search,
        confirm: async ({ found, unstable }) => {
          const told = found.length > 0 ? await this.search.onDrift(found) : undefined;
          const postponed = told?.postponed ?? [];
          return {
            postponed,
            done: () => {
              told?.moved();
              for (const { drift } of found)
                if (!postponed.includes(drift)) this.countsOf(drift.rule).drift[drift.kind] += 1;
              for (const rule of unstable) this.countsOf(rule).unstable += 1;
            },
          };
        },
      },
      from.suspectedDrifts,
    );
  }

  /** The state after everything was read and all suspects were checked, or after an interruption. */
  async stateAfter(read: () => Promise<unknown>): Promise<VerifyState> {
    try {
      await read();
      await this.correct();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
    }
    return this.state();
  }

  private state(): VerifyState {
    return {
      pass: this.pass,
      point: this.point,
      suspectedDrifts: this.suspectedDrifts.list(),
      items: this.items,
      rules: Object.fromEntries([...this.rules].map(([name, counts]) => [name, structuredClone(counts)])),
    };
  }

  /** A first look at a page. Nothing is counted until the scan has moved past it. */
  async visit(items: readonly Item[]): Promise<Moved> {
    const { rules, aggregates, registry } = this.search;
    const candidates = items.flatMap((copy) => candidatesIn(registry.table, { rules, aggregates }, copy));
    const looks = await lookAt(this.search, candidates);
    return () => this.take(items.length, looks);
  }

  async reached(point: VerifyState['point']): Promise<void> {
    this.point = point;
    await this.search.onState?.(this.state());
    const stop = this.search.stopLooking ?? this.search.stop;
    await this.suspectedDrifts.lookAtDue(stop);
    await this.suspectedDrifts.untilAtMost(maxSuspects, stop);
  }

  /** Waits for all suspects. */
  private async correct(): Promise<void> {
    await this.suspectedDrifts.untilAtMost(0, this.search.stopLooking ?? this.search.stop);
    await this.search.onState?.(this.state());
  }

  private take(items: number, looks: readonly Look[]): void {
    this.items += items;
    for (const { rule, placedBy, classification } of looks) {
      // A key is no copy: if it has one, the scan finds that too.
      if (placedBy !== undefined) continue;
      const counts = this.countsOf(rule.name);
      counts.copies += 1;
      if (classification.is === 'kept') counts.kept += 1;
      if (classification.is === 'unfindable') counts.unfindable += 1;
    }
    this.suspectedDrifts.add(suspectedIn(looks, this.search.clock.now() + this.search.grace));
  }

  private countsOf(rule: string): RuleCounts {
    const counts = this.rules.get(rule) ?? noCounts();
    this.rules.set(rule, counts);
    return counts;
  }
}

function retryingTable({ table, clock, stop }: Search): Search['table'] {
  return {
    getMany: (keys) => retry(clock, () => table.getMany(keys), stop),
    query: (...asked) => retry(clock, () => table.query(...asked), stop),
  };
}
