import type { Registry } from '../../model/registry.ts';
import type { RuleCounts } from '../protocol/changes.ts';

const nothing: RuleCounts = { matched: 0, written: 0, deadLettered: 0, lastMilliseconds: undefined };

/** What each rule has done since the start. */
export class RuleTally {
  private readonly counts: Map<string, RuleCounts>;

  constructor({ rules, archives, aggregates }: Pick<Registry, 'rules' | 'archives' | 'aggregates'>) {
    this.counts = new Map([...rules, ...archives, ...aggregates].map(({ name }) => [name, nothing]));
  }

  add(rule: string, more: Partial<RuleCounts>): void {
    const { matched, written, deadLettered, lastMilliseconds } = this.counts.get(rule) ?? nothing;
    this.counts.set(rule, {
      matched: matched + (more.matched ?? 0),
      written: written + (more.written ?? 0),
      deadLettered: deadLettered + (more.deadLettered ?? 0),
      lastMilliseconds: more.lastMilliseconds ?? lastMilliseconds,
    });
  }

  byRule(): Readonly<Record<string, RuleCounts>> {
    return Object.fromEntries(this.counts);
  }
}
