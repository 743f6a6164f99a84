import { describe, expect, test } from 'vitest';
import { equal } from '../../src/model/attribute-value.ts';
import { type Item, type ItemKey, keyOf } from '../../src/model/item.ts';
import type { Registry } from '../../src/model/registry.ts';
import { propagateBatch } from '../../src/propagation/propagate-batch.ts';
import { ModelWorker } from '../../src/testing/table-model/model-worker.ts';

/** What a rule is shown by: items as the applications write them, and what the rule is to make of them. */
export interface RuleSample {
  readonly rule: string;
  /** The registry that has this rule and no other. */
  readonly registry: Registry;
  readonly root: Item;
  /** Copies of that root that say what it says. For an item that is its own copy: none. */
  readonly copies: readonly Item[];
  /** The root after a change that concerns the rule, and what is to become of it and of the copies. */
  readonly changed: Item;
  readonly followed: readonly Item[];
  /** The root after a change that does not concern the rule. */
  readonly unconcerned: Item;
  /** Items in the same places that are not the root's own. */
  readonly foreign: readonly Item[];
  /** The root in a state that cannot be projected, where there is one. */
  readonly invalid?: Item;
  /** What is left of the copies when the root is deleted, and when it expires. */
  readonly afterDelete: readonly Item[];
  readonly afterExpiry: readonly Item[];
}

/** What every rule does, whatever it is about. */
export function conformingRule(sample: RuleSample): void {
  const { registry, root, copies, changed, followed, unconcerned, foreign } = sample;

  describe(`${sample.rule}, as every rule,`, () => {
    test('has the name of its file', () => {
      expect(registry.rules.map(({ name }) => name)).toEqual([sample.rule]);
    });

    test('updates copies when their root changes, and none of their own attributes', async () => {
      const worker = workerOver([root, ...copies, ...foreign]);
      worker.table.put(changed);

      await worker.rest();

      expect(besides(worker, [...foreign, ...(copies.length === 0 ? [] : [root])])).toEqual(
        ordered(followed),
      );
      expect(worker.queue.deadLettered).toEqual([]);
    });

    test('does not touch the copies of other roots', async () => {
      const worker = workerOver([root, ...copies, ...foreign]);
      worker.table.put(changed);

      await worker.rest();

      expect(foreign.map((item) => worker.table.read(key(item)))).toEqual(foreign);
    });

    test('makes no request if a change does not concern it', async () => {
      const worker = workerOver([root, ...copies, ...foreign]);
      worker.table.put(unconcerned);

      await worker.rest();

      expect(worker.table.history.at(-1)?.after).toEqual(unconcerned);
      expect(worker.port.counts.requests()).toBe(0);
    });

    test('writes nothing for records of its own writes, or for a repeated batch', async () => {
      const worker = workerOver([root, ...copies, ...foreign]);
      worker.table.put(changed);
      const batch = worker.stream.take();
      await propagateBatch(worker.context, batch);
      const written = worker.port.counts.itemsWritten;

      await worker.rest();
      await propagateBatch(worker.context, [...batch, ...batch]);
      await worker.rest();

      expect(written).toBeGreaterThan(0);
      expect(worker.port.counts.itemsWritten).toBe(written);
    });

    test('does not bring back a deleted copy', async () => {
      const worker = workerOver([root, ...copies]);
      worker.table.put(changed);
      for (const copy of copies) worker.table.delete(key(copy));
      if (copies.length === 0) worker.table.delete(key(root));

      await worker.rest();

      expect(worker.table.items()).toEqual(copies.length === 0 ? [] : [changed]);
    });

    test('corrects a late copy that was written from an older state of the root', async () => {
      const worker = workerOver(copies.length === 0 ? [] : [changed]);
      for (const copy of copies.length === 0 ? [changed] : copies) worker.table.put(copy);

      await worker.rest();

      expect(besides(worker, copies.length === 0 ? [] : [changed])).toEqual(ordered(followed));
    });

    test('does not touch copies without a root', async () => {
      const worker = workerOver([]);
      for (const copy of copies) worker.table.put(copy);

      await worker.rest();

      expect(worker.table.items()).toEqual([...copies]);
    });

    test('follows its policies when a root is deleted, and when it expires', async () => {
      for (const [how, left] of [
        ['delete', sample.afterDelete],
        ['expire', sample.afterExpiry],
      ] as const) {
        const worker = workerOver([root, ...copies, ...foreign]);
        worker.table[how](key(root));

        await worker.rest();

        expect(besides(worker, foreign), how).toEqual(ordered(left));
      }
    });

    test('dead-letters a root that it cannot project, and writes nothing', async () => {
      if (sample.invalid === undefined) return;
      const worker = workerOver([root, ...copies]);
      worker.table.put(sample.invalid);

      await worker.rest();

      expect(worker.queue.deadLettered).toMatchObject([{ message: { rule: sample.rule, root: key(root) } }]);
      expect(worker.port.counts).toMatchObject({ itemsWritten: 0, itemsRemoved: 0 });
    });
  });

  function workerOver(items: readonly Item[]): ModelWorker {
    const worker = new ModelWorker(registry);
    for (const item of items) worker.table.put(item);
    worker.stream.take();
    return worker;
  }

  /** All items of the table but those with the keys of these, ordered. */
  function besides(worker: ModelWorker, without: readonly Item[]): readonly Item[] {
    return ordered(worker.table.items().filter((item) => !without.some((other) => sameKey(item, other))));
  }

  function ordered(items: readonly Item[]): readonly Item[] {
    return items.toSorted((a, b) => (JSON.stringify(key(a)) < JSON.stringify(key(b)) ? -1 : 1));
  }

  function sameKey(a: Item, b: Item): boolean {
    const { pk, sk } = registry.table;
    return equal(a[pk], b[pk]) && equal(a[sk], b[sk]);
  }

  function key(item: Item): ItemKey {
    const found = keyOf(registry.table, item);
    if (found === undefined) throw new Error('Expected an item with a key');
    return found;
  }
}
