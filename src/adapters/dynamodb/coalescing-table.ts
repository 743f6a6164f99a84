import { setTimeout as delay } from 'node:timers/promises';
import DataLoader from 'dataloader';
import type { GuardedUpdate, WriteOutcome } from '../../model/guarded-write.ts';
import { byKeyText, type Item, type ItemKey, keyText } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { TablePort } from '../../ports.ts';
import { uniqueKeyBatches } from './table-access.ts';

/**
 * How long a call waits for the request before it, in milliseconds: about as long as DynamoDB takes. A request that takes
 * longer, because it is large or throttled, holds up nobody.
 */
const patience = 5;

/**
 * A table that merges simultaneous reads, and simultaneous updates: a batch of a hundred orders that each read one item and
 * write one costs one batch read and four statement batches. Calls of one tick of the event loop go together, and so do
 * those that arrive while the request before them is in flight. Nothing is cached: a read that starts while another is in
 * flight goes into the next request, so its result is never older than the call. Updates of one item are written one after
 * another. An error of a merged request reaches every caller. Updates of a caller that paces them fill
 * requests of their own.
 */
export function coalescingTable(port: TablePort, table: TableNames): TablePort {
  const read = merging((calls: readonly (readonly ItemKey[])[]) => readAll(port, table, calls));
  const write = merging((calls: readonly (readonly GuardedUpdate[])[]) => writeAll(port, calls));
  return {
    queryPartition: (location, limit, from) => port.queryPartition(location, limit, from),
    queryIndex: (location, limit, from) => port.queryIndex(location, limit, from),
    queryIndexEntries: (location, limit, from) => port.queryIndexEntries(location, limit, from),
    remove: (root, removals, onSpent) => port.remove(root, removals, onSpent),
    create: (root, creations, onSpent) => port.create(root, creations, onSpent),
    async get(key) {
      const [item] = await read([key]);
      return item;
    },
    getMany: read,
    update: (updates, onSpent) => (onSpent === undefined ? write(updates) : port.update(updates, onSpent)),
  };
}

/** Merges calls into requests. A request answers its calls in their order. */
function merging<Call, Answer>(
  request: (calls: readonly Call[]) => Promise<readonly Answer[]>,
): (call: Call) => Promise<Answer> {
  let before: Promise<unknown> = Promise.resolve();
  async function send(calls: readonly Call[]): Promise<readonly Answer[]> {
    const answers = request(calls);
    before = Promise.race([answers, delay(patience)]).catch(() => undefined);
    return answers;
  }
  const loader = new DataLoader<Call, Answer>(send, {
    cache: false,
    batchScheduleFn: (dispatch) => void before.then(() => process.nextTick(dispatch)),
  });
  return (call) => loader.load(call);
}

async function readAll(
  port: TablePort,
  table: TableNames,
  calls: readonly (readonly ItemKey[])[],
): Promise<(readonly Item[])[]> {
  const distinct = [...new Map(calls.flat().map((key) => [keyText(key), key])).values()];
  const items = byKeyText(table, await readDistinct(port, distinct));
  return calls.map((keys) => keys.map((key) => items.get(keyText(key))).filter((item) => item !== undefined));
}

async function readDistinct(port: TablePort, keys: readonly ItemKey[]): Promise<readonly Item[]> {
  const [only, ...others] = keys;
  if (only === undefined) return [];
  if (others.length > 0) return port.getMany(keys);
  const item = await port.get(only);
  return item === undefined ? [] : [item];
}

async function writeAll(
  port: TablePort,
  calls: readonly (readonly GuardedUpdate[])[],
): Promise<WriteOutcome[][]> {
  const outcomes = calls.map((updates) => updates.map((): WriteOutcome => 'unavailable'));
  const writes = calls.flatMap((updates, call) => updates.map((update, index) => ({ call, index, update })));
  for (const batch of uniqueKeyBatches(writes, ({ update }) => update.key)) {
    const written = await port.update(batch.map(({ update }) => update));
    for (const [position, { call, index }] of batch.entries()) {
      const outcome = written[position];
      if (outcome !== undefined) outcomes[call]?.splice(index, 1, outcome);
    }
  }
  return outcomes;
}
