import type { RuleActivity } from '../protocol/changes.ts';

/** The time of which a rate tells. */
const pastMs = 60_000;

interface Second {
  readonly second: number;
  written: number;
  slowestMs: number | undefined;
}

interface Totals {
  matched: number;
  written: number;
  deadLettered: number;
  /** Oldest first: those of the last minute, at least. */
  readonly seconds: Second[];
}

/** What each rule has done since the start, and in the last minute. */
export class RuleRates {
  private readonly byRule = new Map<string, Totals>();
  private readonly now: () => number;

  /** @param now gives the time in epoch milliseconds */
  constructor(now: () => number) {
    this.now = now;
  }

  /** @param more what is added; `milliseconds` if a propagation has ended */
  add(
    rule: string,
    {
      matched = 0,
      written = 0,
      deadLettered = 0,
      milliseconds,
    }: Partial<Record<CountName, number | undefined>>,
  ): void {
    const totals = this.byRule.get(rule) ?? { matched: 0, written: 0, deadLettered: 0, seconds: [] };
    this.byRule.set(rule, totals);
    totals.matched += matched;
    totals.written += written;
    totals.deadLettered += deadLettered;
    if (written === 0 && milliseconds === undefined) return;
    const second = Math.floor(this.now() / 1_000);
    const last = totals.seconds.at(-1);
    const current = last?.second === second ? last : { second, written: 0, slowestMs: undefined };
    if (current !== last) totals.seconds.push(current);
    current.written += written;
    if (milliseconds !== undefined) current.slowestMs = Math.max(current.slowestMs ?? 0, milliseconds);
    const isOld = (one: Second) => one.second * 1_000 < this.now() - pastMs;
    while (totals.seconds[0] !== undefined && isOld(totals.seconds[0])) totals.seconds.shift();
  }

  all(): Readonly<Record<string, RuleActivity>> {
    const since = this.now() - pastMs;
    return Object.fromEntries(
      [...this.byRule].map(([rule, { seconds, ...totals }]) => {
        const lately = seconds.filter(({ second }) => second * 1_000 >= since);
        const times = lately.flatMap(({ slowestMs }) => slowestMs ?? []);
        const writtenLately = lately.reduce((sum, { written }) => sum + written, 0);
        return [
          rule,
          { ...totals, writtenLately, slowestMs: times.length === 0 ? undefined : Math.max(...times) },
        ];
      }),
    );
  }
}

type CountName = 'matched' | 'written' | 'deadLettered' | 'milliseconds';
