import { once } from 'node:events';
import { checkItems } from '../../check/check-items.ts';
import { strangerText } from '../../check/check-kinds.ts';
import type { Finding } from '../../check/finding.ts';
import { counted } from '../../model/basics/text.ts';
import type { Change } from '../../model/items/change.ts';
import { type KeyedItem, keyText } from '../../model/items/item.ts';
import { classifier, usedKinds } from '../../model/rules/kind-counts.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { keyJson } from '../output/text.ts';

/** The number of findings that are printed: more would only repeat them. */
const maxReported = 30;

/** The items of the start are judged after this time at the latest: an application that never pauses leaves the worker never idle. */
const maxWaitMs = 60_000;

/** Finds items that no rule takes for what they seem to be, and kinds of which there was no item. */
export function kindWatch(registry: Registry, tableName: string, report: (finding: Finding) => void) {
  const { table } = registry;
  const classify = classifier(registry);
  const reported = new Set<string>();
  const matched = new Set<string>();
  /** By key, the newest images of the items of the start, and of what was written while these were read; undefined if deleted. */
  const newest = new Map<string, KeyedItem | undefined>();
  let hasRead = false;
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
      hasRead = true;
      for (const item of items) {
        see(item);
        const key = keyText(item.key);
        if (!newest.has(key)) newest.set(key, item);
      }
    },
    /**
     * Reports what is wrong with the items of the start as they are when the worker is idle: before, some copies are not up to date.
     * @returns what was looked at; undefined if nothing was, or if the signal was aborted meanwhile
     */
    async judged(
      idle: (waits: AbortSignal) => Promise<void>,
      signal: AbortSignal,
      waitMs = maxWaitMs,
    ): Promise<string | undefined> {
      const waits = AbortSignal.timeout(waitMs);
      await Promise.race([idle(waits), once(waits, 'abort')]);
      const items = [...newest.values()].filter((item) => item !== undefined);
      newest.clear();
      if (items.length === 0 || signal.aborted) return undefined;
      const findings = checkItems(registry, items);
      findings.forEach(report);
      const busy = `, though the worker has not been idle for ${waitMs / 1000} s and may not have written all copies`;
      return `${counted(items.length, 'item')} of table ${tableName}${waits.aborted ? busy : ''}: ${counted(findings.length, 'finding')}`;
    },
    /** An item that was written or deleted. */
    changed({ key, after }: Pick<Change, 'key' | 'after'>): void {
      const item = after && { key, item: after };
      if (!hasRead || newest.has(keyText(key))) newest.set(keyText(key), item);
      const message = item && see(item);
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
