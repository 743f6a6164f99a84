/**
 * Checks suspected drift again, strongly consistent, after a grace period: a change may still be on its way to the
 * copy.
 *
 *   suspected drift ──after the grace period──> right, or gone: dismissed
 *      ^                   │
 *      │                   ├─ copy and root unchanged ───────────> drift
 *      │                   ├─ copy unchanged, root changed ──────> after three such checks: drift
 *      └── check again ────┴─ copy written ──────────────────────> after ten checks: unstable
 */
import { byKeyText, type Item, keyText } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import type { ClockPort } from '../ports.ts';
import type { Discrepancy, Drift } from './drift.ts';
import { type Candidate, copiesIn, type Look, lookAt, type VerifyContext } from './inspect.ts';
import type { SuspectedDrift } from './verify-state.ts';

/** A copy that has drifted, seen twice. */
export interface Found {
  readonly drift: Drift;
  /** Item content, by attribute. */
  readonly discrepancies: Readonly<Record<string, Discrepancy>>;
}

/** The result of checks: confirmed drift, and the rule of each unstable copy. */
export interface Confirmed {
  readonly found: readonly Found[];
  readonly unstable: readonly string[];
}

export interface SuspectedDriftsOptions extends VerifyContext {
  readonly clock: ClockPort;
  /** How long a change may take to reach its copies, in milliseconds. */
  readonly grace: number;
  /**
   * Receives the result of checks. After it has resolved, `done` is called and the suspects are dropped, except those
   * whose drift is `postponed`: they are checked again at the next opportunity.
   */
  readonly confirm: (
    confirmed: Confirmed,
  ) => Promise<{ readonly done: () => void; readonly postponed: readonly Drift[] }>;
}

const looksWithoutRoot = 3;
const maxLooks = 10;

/** Suspects that are checked together. */
const atOnce = 500;

export class SuspectedDrifts {
  private readonly options: SuspectedDriftsOptions;
  private waiting: SuspectedDrift[];
  private underway: SuspectedDrift[] = [];

  constructor(options: SuspectedDriftsOptions, suspectedDrifts: readonly SuspectedDrift[]) {
    this.options = options;
    this.waiting = [...suspectedDrifts];
  }

  /** All suspects, including those being checked. */
  list(): SuspectedDrift[] {
    return [...this.waiting, ...this.underway];
  }

  /** Adds copies that looked wrong at a first look. */
  add(looks: readonly Look[]): void {
    const dueAt = this.options.clock.now() + this.options.grace;
    for (const { rule, copy, placedBy: root, seen } of looks)
      this.waiting.push({ rule: rule.name, copy, ...(root && { root }), seen, looks: 1, left: 0, dueAt });
  }

  /** Checks the suspects that are due, until none are left or the search is stopped. */
  async lookAtDue(stop: () => boolean): Promise<void> {
    for (;;) {
      const now = this.options.clock.now();
      const due = this.waiting.filter(({ dueAt }) => dueAt <= now).slice(0, atOnce);
      if (due.length === 0 || stop()) return;
      await this.lookAt(due);
    }
  }

  /** Waits until at most this many suspects are left, or the search is stopped. */
  async untilAtMost(many: number, stop: () => boolean): Promise<void> {
    while (this.waiting.length > many && !stop()) {
      const first = Math.min(...this.waiting.map(({ dueAt }) => dueAt));
      // Wakes up often enough to notice a stop.
      const wait = Math.min(first - this.options.clock.now(), 250);
      if (wait > 0) await this.options.clock.sleep(wait);
      await this.lookAtDue(stop);
    }
  }

  private async lookAt(due: readonly SuspectedDrift[]): Promise<void> {
    const taken = new Set(due);
    this.waiting = this.waiting.filter((one) => !taken.has(one));
    this.underway.push(...due);
    // If a check fails, the suspects stay as they were.
    let again = due;
    let done: () => void = () => {};
    try {
      const { drifted, unstable, again: others } = await this.classifyCopy(due);
      const found = drifted.map((one) => one.found);
      const told = await this.options.confirm({ found, unstable });
      done = told.done;
      const postponed = drifted.filter((one) => told.postponed.includes(one.found.drift));
      again = [...others, ...postponed.map(({ suspectedDrift }) => suspectedDrift)];
    } finally {
      this.underway = this.underway.filter((one) => !taken.has(one));
      this.waiting.push(...again);
      done();
    }
  }

  private async classifyCopy(due: readonly SuspectedDrift[]): Promise<{
    /** Confirmed drift, with the suspects it was found for. */
    readonly drifted: readonly { readonly found: Found; readonly suspectedDrift: SuspectedDrift }[];
    readonly unstable: readonly string[];
    readonly again: readonly SuspectedDrift[];
  }> {
    const { registry, table, clock, grace } = this.options;
    const keys = new Map(
      due.flatMap(({ copy, root }) => (root === undefined ? [[keyText(copy), copy]] : [])),
    );
    const copies = byKeyText(registry.table, keys.size === 0 ? [] : await table.getMany([...keys.values()]));
    const there = due.flatMap((suspectedDrift) => {
      const candidate = candidateOf(registry, suspectedDrift, copies.get(keyText(suspectedDrift.copy)));
      return candidate === undefined ? [] : [{ suspectedDrift, candidate }];
    });
    const looks = await lookAt(
      this.options,
      there.map(({ candidate }) => candidate),
    );
    const drifted: { found: Found; suspectedDrift: SuspectedDrift }[] = [];
    const unstable: string[] = [];
    const again: SuspectedDrift[] = [];
    there.forEach(({ suspectedDrift }, index) => {
      const look = looks[index];
      if (look?.classification.is !== 'drift') return;
      const next = nextOf(suspectedDrift, look, clock.now() + grace);
      if (next === 'drift') drifted.push({ found: look.classification, suspectedDrift });
      else if (next === 'unstable') unstable.push(suspectedDrift.rule);
      else again.push(next);
    });
    return { drifted, unstable, again };
  }
}

/** @param copy the item at the suspect's key, which may be of another kind now */
function candidateOf(
  registry: Registry,
  { rule: name, copy: key, root }: SuspectedDrift,
  copy: Item | undefined,
): Candidate | undefined {
  if (root !== undefined) {
    const rule = registry.rule(name);
    return rule && { rule, root, key };
  }
  return copy && copiesIn(registry.table, registry, copy).find(({ rule }) => rule.name === name);
}

function nextOf(
  suspectedDrift: SuspectedDrift,
  { seen }: Look,
  dueAt: number,
): SuspectedDrift | 'drift' | 'unstable' {
  const unchanged = seen.copy === suspectedDrift.seen.copy;
  const left = unchanged ? suspectedDrift.left + 1 : 0;
  if (unchanged && (seen.root === suspectedDrift.seen.root || left >= looksWithoutRoot)) return 'drift';
  const looks = suspectedDrift.looks + 1;
  return looks >= maxLooks ? 'unstable' : { ...suspectedDrift, seen, looks, left, dueAt };
}
