import type { Registry } from '../../../model/registry.ts';
import type { RuleCounts } from '../protocol/changes.ts';

const nothing: RuleCounts = { matched: 0, written: 0, deadLettered: 0, lastMilliseconds: undefined };

/** What an archive rule does with items of one kind is counted under this id; what any other rule does, under its name. */
export function archiveId(rule: string, kind: string): string {
  return `${rule} ${kind}`;
}

/** What each rule has done since the start. */
export class RuleTally {
  private readonly counts: Map<string, RuleCounts>;

  constructor({ rules, archives, aggregates }: Pick<Registry, 'rules' | 'archives' | 'aggregates'>) {
    const ids = [
      ...[...rules, ...aggregates].map(({ name }) => name),
      ...archives.flatMap(({ name, kinds }) => kinds.map((kind) => archiveId(name, kind.name))),
    ];
    this.counts = new Map(ids.map((id) => [id, nothing]));
  }

  add(id: string, more: Partial<RuleCounts>): void {
    const { matched, written, deadLettered, lastMilliseconds } = this.counts.get(id) ?? nothing;
    this.counts.set(id, {
      matched: matched + (more.matched ?? 0),
      written: written + (more.written ?? 0),
      deadLettered: deadLettered + (more.deadLettered ?? 0),
      lastMilliseconds: more.lastMilliseconds ?? lastMilliseconds,
    });
  }

  byId(): Readonly<Record<string, RuleCounts>> {
    return Object.fromEntries(this.counts);
  }
}
