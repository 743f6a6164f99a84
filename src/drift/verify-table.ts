import type { Item } from '../model/item.ts';
import { isOfKind } from '../model/kind.ts';
import type { Rule } from '../model/rule.ts';
import type { ClockPort, ScanPort } from '../ports.ts';
import type { Budget } from '../scan/budget.ts';
import { retry } from '../scan/clock.ts';
import { Interrupted } from '../scan/metered-table.ts';
import { type Moved, scanTable } from '../scan/scan-table.ts';
import type { Drift } from './drift.ts';
import { type Candidate, type Look, lookAt, type VerifyContext } from './inspect.ts';
import { type Found, SuspectedDrifts } from './suspected-drift.ts';
import { noCounts, type RuleCounts, type VerifyState, verifyFrom } from './verify-state.ts';

/** What a search for drift works with. */
export interface Search extends VerifyContext {
  /** The rules whose copies are looked at. */
  readonly rules: readonly Rule[];
  readonly clock: ClockPort;
  /** How long a change may take until its copies stand, in milliseconds. */
  readonly grace: number;
  /** Asked before anything is begun; where it says true, the search stops where it is. */
  readonly stop: () => boolean;
  /** Whether those who are suspected are to be looked at no more either. Default: as `stop` says. */
  readonly stopLooking?: () => boolean;
  /** Told of drift as it is found. When it has resolved, it counts as told, but for what it says otherwise of. */
  readonly onDrift: (found: readonly Found[]) => Promise<Told | undefined> | Promise<void>;
  /** Told how far the search is, whenever it has got further: the state may be kept, and gone on with. */
  readonly onState?: (state: VerifyState) => void | Promise<void>;
}

/** What became of drift that somebody was told of. */
export interface Told {
  /** Called in the very moment in which the state says that the drift was found. */
  readonly moved: Moved;
  /** Not to be counted yet: whoever was told asked to stop, and wants to be told of it again. */
  readonly postponed: readonly Drift[];
}

export interface TableSearch extends Search {
  readonly scan: ScanPort;
  readonly budget: Budget;
  /** Segments that are read side by side. */
  readonly concurrency: number;
}

/** More suspects than this are not kept: the scan waits until they have been looked at. */
const maxSuspects = 2000;

/**
 * Searches a table for drift, from where a state says. Writes nothing.
 * @returns the state at its end: finished where nothing is left to read and nobody is suspected any more
 * @throws TransientError, FatalError as ports do; the last state that `onState` was told stands
 */
export async function verifyTable(search: TableSearch, from: VerifyState): Promise<VerifyState> {
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

/** Copies that are not scanned stand in no segment. */
const noSegments: VerifyState['point'] = { segments: [] };

/**
 * Searches these copies for drift, as they were read.
 * @returns what was found of each rule, until the end or until somebody asked to stop
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
  private readonly suspectedDrifts: SuspectedDrifts;
  private readonly rules: Map<string, RuleCounts>;
  private point: VerifyState['point'];
  private items: number;

  constructor(search: Search, from: VerifyState) {
    this.search = { ...search, table: retryingTable(search) };
    this.point = from.point;
    this.items = from.items;
    this.rules = new Map(Object.entries(structuredClone(from.rules)));
    this.suspectedDrifts = new SuspectedDrifts(
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

  /** The state when all is read and nobody is suspected any more, or where that was interrupted. */
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
      point: this.point,
      suspectedDrifts: this.suspectedDrifts.list(),
      items: this.items,
      rules: Object.fromEntries([...this.rules].map(([name, counts]) => [name, structuredClone(counts)])),
    };
  }

  /** A first look at a page. Nothing is counted until the scan has moved past it. */
  async visit(items: readonly Item[]): Promise<Moved> {
    const { rules, registry } = this.search;
    const candidates = items.flatMap((copy) =>
      rules.flatMap((rule): Candidate[] =>
        isOfKind(registry.table, rule.copy, copy) ? [{ rule, copy }] : [],
      ),
    );
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

  /** Waits for all who are suspected. */
  private async correct(): Promise<void> {
    await this.suspectedDrifts.untilAtMost(0, this.search.stopLooking ?? this.search.stop);
    await this.search.onState?.(this.state());
  }

  private take(items: number, looks: readonly Look[]): void {
    this.items += items;
    for (const { rule, classification } of looks) {
      const counts = this.countsOf(rule.name);
      counts.copies += 1;
      if (classification.is === 'kept') counts.kept += 1;
      if (classification.is === 'unfindable') counts.unfindable += 1;
    }
    this.suspectedDrifts.add(looks.filter(({ classification }) => classification.is === 'drift'));
  }

  private countsOf(rule: string): RuleCounts {
    const counts = this.rules.get(rule) ?? noCounts();
    this.rules.set(rule, counts);
    return counts;
  }
}

function retryingTable({ table, clock, stop }: Search): Search['table'] {
  return { getMany: (keys) => retry(clock, () => table.getMany(keys), stop) };
}
