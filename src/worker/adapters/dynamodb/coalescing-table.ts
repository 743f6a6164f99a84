import DataLoader from 'dataloader';
import { byKey, type ItemKey, type KeyedItem, keyText } from '../../../model/items/item.ts';
import type { GuardedUpdate, WriteOutcome } from '../../../model/work/guarded-write.ts';
import type { ReadOptions, TablePort } from '../../ports.ts';
import { systemClock } from '../system-clock.ts';

/** How long a call waits for the request before it: about as long as DynamoDB takes. */
const patienceMs = 5;

/**
 * A table that merges reads, and updates, of one tick or that arrive while the request before them is in flight: a hundred
 * orders that each read one item and write one cost one batch read and four statement batches. Nothing is cached, so no result
 * is older than its call. Updates of a caller that paces them fill requests of their own.
 */
export function coalescingTable(port: TablePort): TablePort {
  const read = merging((calls: readonly Read[]) => readAll(port, calls));
  const write = merging((calls: readonly (readonly GuardedUpdate[])[]) => writeAll(port, calls));
  return {
    query: (...args) => port.query(...args),
    transact: (...args) => port.transact(...args),
    async get(key) {
      const [item] = await read({ keys: [key] });
      return item;
    },
    getMany: (keys, { onUnread } = {}) => read({ keys, onUnread }),
    update: (updates, options) => (options === undefined ? write(updates) : port.update(updates, options)),
  };
}

function merging<Call, Answer>(
  request: (calls: readonly Call[]) => Promise<readonly Answer[]>,
): (call: Call) => Promise<Answer> {
  let before: Promise<unknown> = Promise.resolve();
  async function send(calls: readonly Call[]): Promise<readonly Answer[]> {
    const answers = request(calls);
    before = Promise.race([answers, systemClock.sleep(patienceMs)]).catch(() => undefined);
    return answers;
  }
  const loader = new DataLoader<Call, Answer>(send, {
    cache: false,
    batchScheduleFn: (dispatch) => void before.then(() => process.nextTick(dispatch)),
  });
  return (call) => loader.load(call);
}

interface Read extends Pick<ReadOptions, 'onUnread'> {
  readonly keys: readonly ItemKey[];
}

/** If a request leaves keys of large items unread, those calls that need all of theirs get them in another one. */
async function readAll(port: TablePort, calls: readonly Read[]): Promise<(readonly KeyedItem[])[]> {
  const [only, ...more] = calls;
  if (only !== undefined && more.length === 0) return [await port.getMany(only.keys, only)];
  const unread = new Set<string>();
  const isUnread = (key: ItemKey) => unread.has(keyText(key));
  const found = await port.getMany(distinctIn(calls), {
    onUnread(keys) {
      for (const key of keys) unread.add(keyText(key));
    },
  });
  const complete = calls.filter(({ onUnread }) => onUnread === undefined);
  const needed = distinctIn(complete).filter(isUnread);
  const others = needed.length === 0 ? [] : await port.getMany(needed);
  const itemAt = byKey([...found, ...others]);
  return calls.map(({ keys, onUnread }) => {
    const unreadKeys = onUnread === undefined ? [] : keys.filter(isUnread);
    if (unreadKeys.length > 0) onUnread?.(unreadKeys);
    const read = unreadKeys.length === 0 ? keys : keys.filter((key) => !isUnread(key));
    return read.map(itemAt).filter((item) => item !== undefined);
  });
}

function distinctIn(calls: readonly Read[]): ItemKey[] {
  return [...new Map(calls.flatMap(({ keys }) => keys).map((key) => [keyText(key), key])).values()];
}

async function writeAll(
  port: TablePort,
  calls: readonly (readonly GuardedUpdate[])[],
): Promise<(readonly WriteOutcome[])[]> {
  const outcomes = [...(await port.update(calls.flat()))];
  return calls.map((updates) => outcomes.splice(0, updates.length));
}
