import { fail } from 'node:assert/strict';
import { DenormError } from '../../model/errors.ts';
import type { Item } from '../../model/item.ts';
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

export function expectItems({ table, port }: ModelWorker, expected: readonly Item[]): void {
  const wrong = itemDifferences(table.names, expected, table.items());
  if (wrong.length > 0)
    fail(`The table is not as expected after ${port.counts.itemsWritten} writes: ${wrong.join('; ')}`);
}

export function expectNoDeadLetters({ queue }: ModelWorker): void {
  const [first] = queue.deadLettered;
  if (first !== undefined) fail(`Expected no dead letter, found ${first.code}: ${first.reason}`);
}
