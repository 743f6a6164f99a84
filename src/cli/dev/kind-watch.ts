import { checkItems } from '../../check/check-items.ts';
import { strangerText } from '../../check/check-kinds.ts';
import type { Finding } from '../../check/finding.ts';
import type { KeyedItem } from '../../model/items/item.ts';
import { classifier, usedKinds } from '../../model/rules/kind-counts.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { keyJson } from '../output/text.ts';

/** The number of findings that are printed: more would only repeat them. */
const maxReported = 30;

/** Finds items that no rule takes for what they seem to be, and kinds of which there was no item. */
export class KindWatch {
  private readonly registry: Registry;
  private readonly report: (finding: Finding) => void;
  private readonly classify: ReturnType<typeof classifier>;
  private readonly reported = new Set<string>();
  private readonly matched = new Set<string>();
  private hasSeen = false;

  constructor(registry: Registry, report: (finding: Finding) => void) {
    this.registry = registry;
    this.report = report;
    this.classify = classifier(registry);
  }

  /** Items that the table has at the start. */
  found(items: readonly KeyedItem[]): void {
    if (items.length === 0) return;
    checkItems(this.registry, items).forEach(this.report);
    for (const item of items) this.see(item);
  }

  /** An item that was written. */
  written(item: KeyedItem): void {
    const message = this.see(item);
    if (message !== undefined) this.report(message);
  }

  /** @returns a finding, if the item is of a sort that was not there before */
  private see(item: KeyedItem): Finding | undefined {
    this.hasSeen = true;
    const found = this.classify(item);
    if (found === undefined) return undefined;
    if (!('like' in found)) {
      for (const { name } of found.kinds) this.matched.add(name);
      return undefined;
    }
    const { table } = this.registry;
    const message = strangerText(table, found);
    if (message === undefined || this.reported.has(message) || this.reported.size >= maxReported)
      return undefined;
    this.reported.add(message);
    const subject = found.kinds.map(({ name }) => name).join(', ');
    return { about: 'table', subject, message: `no rule takes ${keyJson(table, found.example)}: ${message}` };
  }

  /** The kinds of which there was no item, although there were items. */
  unmatched(): string | undefined {
    const none = usedKinds(this.registry).filter(({ kind }) => !this.matched.has(kind.name));
    if (!this.hasSeen || none.length === 0) return undefined;
    const rules = new Set(none.flatMap(({ users }) => users));
    return `no item was of ${none.map(({ kind }) => kind.name).join(', ')}, which ${[...rules].join(', ')} need`;
  }
}
