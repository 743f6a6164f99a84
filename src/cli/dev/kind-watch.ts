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
export function kindWatch(registry: Registry, report: (finding: Finding) => void) {
  const { table } = registry;
  const classify = classifier(registry);
  const reported = new Set<string>();
  const matched = new Set<string>();
  let hasSeen = false;

  /** @returns a finding, if the item is of a sort that was not there before */
  function see(item: KeyedItem): Finding | undefined {
    hasSeen = true;
    const found = classify(item);
    if (found === undefined) return undefined;
    const names = found.kinds.map(({ name }) => name);
    if (!('like' in found)) {
      for (const name of names) matched.add(name);
      return undefined;
    }
    const message = strangerText(table, found);
    if (message === undefined || reported.has(message) || reported.size >= maxReported) return undefined;
    reported.add(message);
    const what = `no rule takes ${keyJson(table, found.example)}`;
    return { about: 'table', subject: names.join(', '), message: `${what}: ${message}` };
  }

  return {
    /** Items that the table has at the start, of which nothing is said yet. */
    has(items: readonly KeyedItem[]): void {
      items.forEach(see);
    },
    /** Items that the table has. @returns the number of findings */
    judged(items: readonly KeyedItem[]): number {
      const findings = checkItems(registry, items);
      findings.forEach(report);
      return findings.length;
    },
    /** An item that was written. */
    written(item: KeyedItem): void {
      const message = see(item);
      if (message !== undefined) report(message);
    },
    /** The kinds of which there was no item, although there were items. */
    unmatched(): string | undefined {
      const none = usedKinds(registry).filter(({ kind }) => !matched.has(kind.name));
      if (!hasSeen || none.length === 0) return undefined;
      const rules = new Set(none.flatMap(({ users }) => users));
      return `no item was of ${none.map(({ kind }) => kind.name).join(', ')}, which ${[...rules].join(', ')} need`;
    },
  };
}
