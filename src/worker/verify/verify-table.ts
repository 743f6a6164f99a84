import { RecentSet } from '../../model/basics/recent-set.ts';
import type { KeyedItem } from '../../model/items/item.ts';
import { KindCounter } from '../../model/rules/kind-counts.ts';
import type { Pauses } from '../../model/rules/pauses.ts';
import type { Budget } from '../budget.ts';
import type { BacklogPort, ClockPort, ScanPort } from '../ports.ts';
import { type Retry, retryingOutages } from '../retry.ts';
import { unlessInterrupted } from '../scan/metered-table.ts';
import { type AfterPage, type ScanPoint, scanTable } from '../scan/scan-table.ts';
import { candidatesIn, type Selection } from './candidates.ts';
import type { Drift, RepairableDrift } from './drift.ts';
import { type Look, lookAt, type VerifyContext } from './inspect.ts';
import { lookAgainAt, suspectedIn } from './suspected-drift.ts';
import { Suspects } from './suspects.ts';
import {
  isPassed,
  noCounts,
  type RuleCounts,
  type SuspectedDrift,
  type VerifyState,
} from './verify-state.ts';

export type Targetless = Pick<RepairableDrift, 'rule' | 'copy' | 'root'>;

export interface TableSearch extends VerifyContext {
  readonly scan: ScanPort;
  readonly budget: Budget;
  readonly concurrency: number;
  readonly passes: readonly Selection[];
  readonly clock: ClockPort;
  /** How long a change may take to reach its copies. */
  readonly graceMs: number;
  /** The fan-out queue, which may be about to correct what differs. Default: it is not looked at. */
  readonly queue?: BacklogPort | undefined;
  /** Rules whose messages only go round the queue: what differs by them does not wait for it. Default: none. */
  readonly paused?: Pauses;
  /** Asked before anything is started. If it returns true, the search ends where it is. */
  readonly stop: () => boolean;
  /** If it returns true, suspects are not checked any more either. Default: `stop`. */
  readonly stopLooking?: () => boolean;
  /**
   * Receives drift as it is found. After it has resolved, the drift is counted, except what it returns: that is reported again
   * when the search resumes.
   */
  readonly onDrift: (found: readonly Drift[]) => Promise<readonly Drift[] | undefined> | Promise<void>;
  /** Receives each member `copy` whose target `root` does not exist. It is counted, and is no drift: nobody may need its totals. */
  readonly onTargetless?: (found: Targetless) => void;
  /** Called whenever the search has advanced; the state can be saved to resume from it. */
  readonly onState?: (state: VerifyState) => void | Promise<void>;
}

/** If there are more suspects than this, the scan waits until some have been checked. */
const maxSuspects = 2000;

const suspectsAtOnce = 500;

/** Missing targets that are remembered. */
const maxUnmade = 10_000;

/** How long a search waits for the fan-out queue: in a busy system, it may never be empty. */
export const maxWaitForQueueMs = 10 * 60_000;

/** Between two looks at what waits for the queue. */
const waitForQueueMs = 5000;

/**
 * Searches a table for drift, from a saved state on. Writes nothing.
 * @returns the final state: finished if everything was read and no suspects are left
 * @throws TransientError, FatalError as ports do; the last state given to `onState` is valid
 */
export async function verifyTable(search: TableSearch, from: VerifyState): Promise<VerifyState> {
  const { passes, queue } = search;
  // Even a search that finds nothing says whether the queue can be seen.
  await queue?.look();
  let state = from;
  for (;;) {
    const pass = passes[state.pass] ?? { rules: [], aggregates: [] };
    state = await new RunningPass(search, pass, state).stateAtEnd();
    if (!isPassed(state) || state.pass + 1 >= passes.length) return state;
    const segments = state.point.segments.map(({ index, of }) => ({ index, of, done: false }));
    state = { ...state, pass: state.pass + 1, point: { segments }, items: 0 };
  }
}

/** What is invalid is for an application to correct, unless another rule is about to: one more look tells. */
function isOnItsWay({
  drift,
  suspectedDrift,
}: {
  readonly drift: Drift;
  readonly suspectedDrift: SuspectedDrift;
}): boolean {
  return drift.kind !== 'invalid' || suspectedDrift.waits !== true;
}

class RunningPass {
  private readonly search: TableSearch;
  private readonly retry: Retry;
  private readonly pass: Selection;
  private readonly suspects: Suspects<SuspectedDrift>;
  private readonly stopLooking: () => boolean;
  private readonly before: VerifyState;
  private readonly rules: Map<string, RuleCounts>;
  /** Since when something differs while the queue has messages, in epoch milliseconds. */
  private waitsSince: number | undefined;
  private point: ScanPoint;
  private items: number;
  private readonly kinds: KindCounter;

  constructor(search: TableSearch, pass: Selection, from: VerifyState) {
    this.retry = retryingOutages(search.clock, { stop: search.stop });
    const unmade = new RecentSet(maxUnmade);
    this.search = { ...search, table: retryingTable(search, this.retry), unmade };
    this.pass = pass;
    this.stopLooking = search.stopLooking ?? search.stop;
    this.before = from;
    this.point = from.point;
    this.items = from.items;
    this.kinds = new KindCounter(search.registry, from.kinds);
    this.rules = new Map(Object.entries(structuredClone(from.rules)));
    const lookAgain = (due: readonly SuspectedDrift[]) => this.lookAgain(due);
    this.suspects = new Suspects(
      { clock: search.clock, atOnce: suspectsAtOnce, lookAgain },
      from.suspectedDrifts,
    );
  }

  /** The state after everything was read and all suspects were checked, or after an interruption. */
  async stateAtEnd(): Promise<VerifyState> {
    const { scan, budget, concurrency, stop } = this.search;
    try {
      await scanTable({
        scan: { scan: (...args) => this.retry(() => scan.scan(...args)) },
        budget,
        concurrency,
        point: this.before.point,
        stop,
        visit: (items) => this.visit(items),
        onPage: ({ point }) => this.reached(point),
      });
      await this.suspects.untilAtMost(0, this.stopLooking);
      await this.search.onState?.(this.state());
    } catch (error) {
      unlessInterrupted(error);
    }
    return this.state();
  }

  /** A first look at a page. Nothing is counted until the position has moved past it. */
  private async visit(items: readonly KeyedItem[]): Promise<AfterPage> {
    const candidates = items.flatMap((item) => candidatesIn(this.pass, item));
    const looks = await lookAt(this.search, candidates);
    return () => {
      this.items += items.length;
      if (this.before.pass === 0) this.kinds.add(items);
      for (const look of looks) this.count(look);
      this.suspects.add(suspectedIn(looks, this.dueAt()));
    };
  }

  private async reached(point: ScanPoint): Promise<void> {
    this.point = point;
    await this.search.onState?.(this.state());
    await this.suspects.lookAtDue(this.stopLooking);
    await this.suspects.untilAtMost(maxSuspects, this.stopLooking);
  }

  private async lookAgain(due: readonly SuspectedDrift[]) {
    // The queue first: what was in it before may be written by now.
    const isBusy = await this.isQueueBusy();
    const looked = await lookAgainAt(this.search, due, () => this.dueAt());
    const { unstable } = looked;
    const mayBeCorrected = (one: (typeof looked.drifted)[number]) =>
      !this.isPaused(one.drift) && isOnItsWay(one);
    const correctable = isBusy ? looked.drifted.filter(mayBeCorrected) : [];
    const waits = correctable.length > 0 && this.mayWait() ? correctable : [];
    const drifted = looked.drifted.filter((one) => !waits.includes(one));
    const dueAt = this.search.clock.now() + Math.max(this.search.graceMs, waitForQueueMs);
    const waiting = waits.map(({ suspectedDrift }) => ({ ...suspectedDrift, waits: true, dueAt }));
    const again = [...looked.again, ...waiting];
    const found = drifted.map(({ drift }) => drift);
    const postponed = (found.length > 0 && (await this.search.onDrift(found))) || [];
    const isPostponed = ({ drift }: (typeof drifted)[number]) => postponed.includes(drift);
    return {
      again: [...again, ...drifted.filter(isPostponed).map(({ suspectedDrift }) => suspectedDrift)],
      done: () => {
        for (const { drift } of drifted.filter((one) => !isPostponed(one)))
          this.countsOf(drift.rule)[drift.kind] += 1;
        for (const rule of unstable) this.countsOf(rule).unstable += 1;
      },
    };
  }

  private isPaused({ rule }: Drift): boolean {
    return this.search.paused?.has(rule) === true;
  }

  private async isQueueBusy(): Promise<boolean> {
    const backlog = await this.search.queue?.look();
    const isBusy = backlog !== undefined && 'messages' in backlog && backlog.messages > 0;
    if (!isBusy) this.waitsSince = undefined;
    return isBusy;
  }

  private mayWait(): boolean {
    const now = this.search.clock.now();
    this.waitsSince ??= now;
    return now - this.waitsSince < maxWaitForQueueMs;
  }

  private state(): VerifyState {
    return {
      pass: this.before.pass,
      point: this.point,
      suspectedDrifts: this.suspects.list(),
      items: this.items,
      kinds: this.kinds.counts(),
      rules: structuredClone(Object.fromEntries(this.rules)),
    };
  }

  private count({ rule, copy, placedBy, classification }: Look): void {
    const counts = this.countsOf(rule.name);
    const { is } = classification;
    if (placedBy !== undefined) {
      // A key is no copy: if it has one, the source gives that too.
      if (is === 'targeted' || is === 'targetless') counts.members += 1;
      if (is !== 'targetless') return;
      counts.targetless += 1;
      this.search.onTargetless?.({ rule: rule.name, copy, root: placedBy });
      return;
    }
    counts.copies += 1;
    if (is === 'rootless' || is === 'kept' || is === 'unfindable') counts[is] += 1;
  }

  private countsOf(rule: string): RuleCounts {
    const counts = this.rules.get(rule) ?? noCounts();
    this.rules.set(rule, counts);
    return counts;
  }

  private dueAt(): number {
    return this.search.clock.now() + this.search.graceMs;
  }
}

function retryingTable({ table }: TableSearch, retry: Retry): TableSearch['table'] {
  return {
    getMany: (keys) => retry(() => table.getMany(keys)),
    query: (...args) => retry(() => table.query(...args)),
  };
}
