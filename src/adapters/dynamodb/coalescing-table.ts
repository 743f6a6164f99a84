import DataLoader from 'dataloader';
import type { GuardedUpdate, WriteOutcome } from '../../model/guarded-write.ts';
import { byKeyText, type Item, type ItemKey, keyText } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { TablePort } from '../../ports.ts';
import { uniqueKeyBatches } from './table-access.ts';

/**
 * A table that merges requests from the same tick of the event loop: a batch of a hundred orders that each
 * read one item and write one costs one batch read and four statement batches. Nothing is cached: a read that
 * starts while another is in flight goes into the next request, so its result is never older than the call.
 * Updates of one item are written one after another. An error of a merged request reaches every caller.
 */
export function coalescingTable(port: TablePort, table: TableNames): TablePort {
  const reads = new DataLoader<ItemKey, Item | undefined>((keys) => readAll(port, table, keys), {
    cache: false,
  });
  const writes = new DataLoader<GuardedUpdate, WriteOutcome>((updates) => writeAll(port, updates), {
    cache: false,
  });
  return {
    queryPartition: (location, limit, from) => port.queryPartition(location, limit, from),
    queryIndex: (location, limit, from) => port.queryIndex(location, limit, from),
    remove: (root, removals) => port.remove(root, removals),
    get: (key) => reads.load(key),
    async getMany(keys) {
      const items = await Promise.all(keys.map((key) => reads.load(key)));
      return items.filter((item) => item !== undefined);
    },
    update: (updates) => Promise.all(updates.map((update) => writes.load(update))),
  };
}

async function readAll(
  port: TablePort,
  table: TableNames,
  keys: readonly ItemKey[],
): Promise<(Item | undefined)[]> {
  const distinct = [...new Map(keys.map((key) => [keyText(key), key])).values()];
  const [only, ...others] = distinct;
  if (only !== undefined && others.length === 0) {
    const item = await port.get(only);
    return keys.map(() => item);
  }
  const items = byKeyText(table, await port.getMany(distinct));
  return keys.map((key) => items.get(keyText(key)));
}

async function writeAll(port: TablePort, updates: readonly GuardedUpdate[]): Promise<WriteOutcome[]> {
  const outcomes = updates.map((): WriteOutcome => 'unavailable');
  const writes = updates.map((update, index) => ({ update, index }));
  for (const batch of uniqueKeyBatches(writes, ({ update }) => update.key)) {
    const written = await port.update(batch.map(({ update }) => update));
    batch.forEach(({ index }, location) => {
      outcomes[index] = written[location] ?? 'unavailable';
    });
  }
  return outcomes;
}
