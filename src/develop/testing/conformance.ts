import { fail } from 'node:assert/strict';
import { DenormError } from '../../model/errors.ts';
import { type Item, keyIn } from '../../model/item.ts';
import { isOfLedger } from '../../model/ledger.ts';
import type { Registry } from '../../model/registry.ts';
import { itemDifferences } from './differences.ts';
import { ModelWorker } from './table-model/model-worker.ts';

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
