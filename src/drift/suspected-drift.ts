/**
 * Copies that did not look right are looked at again, strongly consistent, after a time of grace: a change may be on its
 * way to them.
 *
 *   suspect ──a grace later──> right, or gone: dismissed
 *     ^                          │
 *     │                          ├─ copy and root stand as before ───────────────────> drift
 *     │                          ├─ the copy stands as before, its root has changed ─> after three such looks: drift
 *     └── once more ─────────────┴─ the copy was written ────────────────────────────> after ten looks: restless
 */
import type { Discrepancy, Drift } from './drift.ts';
import { byKeyText, keyText } from '../model/item.ts';
import { isOfKind } from '../model/kind.ts';
import type { ClockPort } from '../ports.ts';
import { type Eyes, type Look, lookAt } from './inspect.ts';
import type { Suspect } from './verify-state.ts';

/** A copy that has drifted, seen twice. */
export interface Found {
  readonly drift: Drift;
  /** Item content, by attribute. */
  readonly discrepancies: Readonly<Record<string, Discrepancy>>;
}

/** What came of looks: what is drift, and of which rules' copies nothing can be said. */
export interface Confirmed {
  readonly found: readonly Found[];
  readonly restless: readonly string[];
}

export interface SuspectsOptions extends Eyes {
  readonly clock: ClockPort;
  /** How long a change may take until its copies stand, in milliseconds. */
  readonly grace: number;
  /**
   * Told what looks have shown. The suspects are let go of when it has resolved, and `done` is called then; those of drift
   * that was postponed stay suspected, to be looked at at once when somebody looks again.
   */
  readonly confirm: (
    confirmed: Confirmed,
  ) => Promise<{ readonly done: () => void; readonly postponed: readonly Drift[] }>;
}

const looksWithoutRoot = 3;
const mostLooks = 10;

/** Suspects that are looked at together. */
const atOnce = 500;

export class Suspects {
  private readonly options: SuspectsOptions;
  private waiting: Suspect[];
  private underway: Suspect[] = [];

  constructor(options: SuspectsOptions, suspects: readonly Suspect[]) {
    this.options = options;
    this.waiting = [...suspects];
  }

  /** Everyone who is suspected, those just being looked at included. */
  list(): Suspect[] {
    return [...this.waiting, ...this.underway];
  }

  /** Takes note of copies that did not look right at a first look. */
  add(looks: readonly Look[]): void {
    const dueAt = this.options.clock.now() + this.options.grace;
    for (const { rule, copy, seen } of looks)
      this.waiting.push({ rule: rule.name, copy, seen, looks: 1, left: 0, dueAt });
  }

  /** Looks at those whose time has come, until none is left of them or somebody asks to stop. */
  async lookAtDue(stop: () => boolean): Promise<void> {
    for (;;) {
      const now = this.options.clock.now();
      const due = this.waiting.filter(({ dueAt }) => dueAt <= now).slice(0, atOnce);
      if (due.length === 0 || stop()) return;
      await this.lookAt(due);
    }
  }

  /** Waits for those who are suspected until there are at most so many, or somebody asks to stop. */
  async untilAtMost(many: number, stop: () => boolean): Promise<void> {
    while (this.waiting.length > many && !stop()) {
      const first = Math.min(...this.waiting.map(({ dueAt }) => dueAt));
      // Somebody who asks to stop is not kept waiting for a whole grace.
      const wait = Math.min(first - this.options.clock.now(), 250);
      if (wait > 0) await this.options.clock.sleep(wait);
      await this.lookAtDue(stop);
    }
  }

  private async lookAt(due: readonly Suspect[]): Promise<void> {
    const taken = new Set(due);
    this.waiting = this.waiting.filter((one) => !taken.has(one));
    this.underway.push(...due);
    // Where a look fails, they stay suspected as they were.
    let again = due;
    let done: () => void = () => {};
    try {
      const { drifted, restless, again: others } = await this.judge(due);
      const found = drifted.map((one) => one.found);
      const told = await this.options.confirm({ found, restless });
      done = told.done;
      const postponed = drifted.filter((one) => told.postponed.includes(one.found.drift));
      again = [...others, ...postponed.map(({ suspect }) => suspect)];
    } finally {
      this.underway = this.underway.filter((one) => !taken.has(one));
      this.waiting.push(...again);
      done();
    }
  }

  private async judge(due: readonly Suspect[]): Promise<{
    /** The drift that was found, and who was suspected of it. */
    readonly drifted: readonly { readonly found: Found; readonly suspect: Suspect }[];
    readonly restless: readonly string[];
    readonly again: readonly Suspect[];
  }> {
    const { registry, table, clock, grace } = this.options;
    const keys = new Map(due.map(({ copy }) => [keyText(copy), copy]));
    const copies = byKeyText(registry.table, await table.getMany([...keys.values()]));
    const there = due.flatMap((suspect) => {
      const rule = registry.rule(suspect.rule);
      const copy = copies.get(keyText(suspect.copy));
      // An item of another kind may stand there by now.
      const is = rule !== undefined && copy !== undefined && isOfKind(registry.table, rule.copy, copy);
      return is ? [{ suspect, rule, copy }] : [];
    });
    const looks = await lookAt(this.options, there);
    const drifted: { found: Found; suspect: Suspect }[] = [];
    const restless: string[] = [];
    const again: Suspect[] = [];
    there.forEach(({ suspect }, index) => {
      const look = looks[index];
      if (look?.judgement.is !== 'drift') return;
      const next = nextOf(suspect, look, clock.now() + grace);
      if (next === 'drift') drifted.push({ found: look.judgement, suspect });
      else if (next === 'restless') restless.push(suspect.rule);
      else again.push(next);
    });
    return { drifted, restless, again };
  }
}

function nextOf(suspect: Suspect, { seen }: Look, dueAt: number): Suspect | 'drift' | 'restless' {
  const stands = seen.copy === suspect.seen.copy;
  const left = stands ? suspect.left + 1 : 0;
  if (stands && (seen.root === suspect.seen.root || left >= looksWithoutRoot)) return 'drift';
  const looks = suspect.looks + 1;
  return looks >= mostLooks ? 'restless' : { ...suspect, seen, looks, left, dueAt };
}
