import { fail } from 'node:assert/strict';
import { DenormError } from '../model/basics/errors.ts';
import { type Item, keyAsJson, keyIn, keyOf } from '../model/items/item.ts';
import { isKeyName, type TableNames } from '../model/items/table-names.ts';
import { isOfLedger } from '../model/rules/ledger.ts';
import type { Registry } from '../model/rules/registry.ts';
import { shown } from './plain-values.ts';
import { ModelWorker } from './table-model/model-worker.ts';
import { sameValue } from './table-model/same-value.ts';

/** What a conformance suite needs of a test runner: vitest, node:test and others have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: () => Promise<void>): unknown;
}

/** The one whose `describe` and `test` are global, otherwise vitest in a worker of vitest, otherwise `node:test`. */
export const runner: TestRunner = await running();

async function running(): Promise<TestRunner> {
  const { describe, test } = globalThis as Partial<TestRunner>;
  if (typeof describe === 'function' && typeof test === 'function') return { describe, test };
  return '__vitest_worker__' in globalThis ? import('vitest') : import('node:test');
}

/** @throws DenormError `rule.unknown` if there is none of this name */
export function named<Found extends { readonly name: string }>(
  what: string,
  all: readonly Found[],
  name: string,
): Found {
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = all.map((one) => one.name).join(', ');
  throw new DenormError(
    'rule.unknown',
    `Expected the name of ${what} of the config (${names}), got '${name}'`,
  );
}

/** A worker whose table holds these items, all of which it has yet to read. */
export function workerWith(registry: Registry, items: readonly Item[]): ModelWorker {
  const worker = new ModelWorker(registry);
  for (const item of items) worker.table.put(item);
  return worker;
}

/** A worker whose table holds these items, none of which is news to it. */
export function workerOver(registry: Registry, items: readonly Item[]): ModelWorker {
  const worker = workerWith(registry, items);
  worker.stream.take();
  return worker;
}

/** The worker's own items of ledgers do not count. */
export function expectItems({ table, port, context }: ModelWorker, expected: readonly Item[]): void {
  const { table: names, aggregates } = context.registry;
  const isOwn = (item: Item) => aggregates.some((one) => isOfLedger(one, keyIn(names, item)));
  const wrong = itemDifferences(
    names,
    expected,
    table.items().filter((item) => !isOwn(item)),
  );
  if (wrong.length > 0)
    fail(`The table is not as expected after ${port.counts.itemsWritten} writes: ${wrong.join('; ')}`);
}

export function expectNoDeadLetters({ queue }: ModelWorker): void {
  const [first] = queue.deadLettered;
  if (first !== undefined) fail(`Expected no dead letter, found ${first.code}: ${first.reason}`);
}

/** One sentence for each attribute that differs: `title is "a" instead of "b"`. */
export function differences(table: TableNames, expected: Item, found: Item): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
  return names
    .filter((name) => !isKeyName(table, name) && !sameValue(expected[name], found[name]))
    .map((name) => `${name} is ${shown(found[name])} instead of ${shown(expected[name])}`);
}

function itemDifferences(table: TableNames, expected: readonly Item[], found: readonly Item[]): string[] {
  const byKey = new Map(found.map((item) => [keyJson(table, item), item]));
  const missing = expected.flatMap((item) => {
    const key = keyJson(table, item);
    const there = byKey.get(key);
    if (there === undefined) return [`${key} is gone`];
    return differences(table, item, there).map((difference) => `of ${key}, ${difference}`);
  });
  const keys = new Set(expected.map((item) => keyJson(table, item)));
  const extra = found.map((item) => keyJson(table, item)).filter((key) => !keys.has(key));
  return [...missing, ...extra.map((key) => `${key} is there`)];
}

export function keyJson(table: TableNames, item: Item): string {
  return keyAsJson(table, keyOf(table, item) ?? { pk: '', sk: '' });
}
