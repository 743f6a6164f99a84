import type {
  GuardedRemoval,
  GuardedUpdate,
  RootCondition,
  WriteOutcome,
} from '../../src/model/guarded-write.ts';
import type { Item, ItemKey } from '../../src/model/item.ts';
import type { DeadLetter, Message } from '../../src/model/message.ts';
import type { ArchivePort } from '../../src/worker/archive/ports.ts';
import type { QueuePort, TablePort } from '../../src/worker/ports.ts';
import type { Crash } from './crash.ts';

/** What one request takes. Source: AWS, "BatchGetItem", "BatchExecuteStatement", "TransactWriteItems", "SendMessageBatch". */
const maxKeys = 100;
const maxStatements = 25;
const maxTransacted = 99;
const maxMessages = 10;

/** A table whose requests, cut as the service takes them, may be the worker's last. */
export function crashingTable(table: TablePort, crash: Crash): TablePort {
  return {
    get: (key) => crash.request('get', () => table.get(key)),
    getMany: (keys) => inRequests(keys, maxKeys, (some) => getOnce(table, crash, some)),
    queryPartition: (location, limit, from) =>
      crash.request('query', () => table.queryPartition(location, limit, from)),
    queryIndex: (location, limit, from) =>
      crash.request('query', () => table.queryIndex(location, limit, from)),
    queryIndexEntries: (location, limit, from) =>
      crash.request('query', () => table.queryIndexEntries(location, limit, from)),
    update: (updates) => inRequests(updates, maxStatements, (some) => updateOnce(table, crash, some)),
    remove: (root, removals) =>
      inRequests(removals, maxTransacted, (some) => removeOnce(table, crash, root, some)),
    create: (root, creations) =>
      inRequests(creations, maxTransacted, (some) => crash.request('create', () => table.create(root, some))),
  };
}

/** A queue likewise: a batch of messages may have been taken in part. */
export function crashingQueue(queue: QueuePort, crash: Crash): QueuePort {
  return {
    async send(messages: readonly Message[], delaySeconds) {
      await inRequests(messages, maxMessages, (some) =>
        crash.inParts('send', some, async (sent) => {
          await queue.send(sent, delaySeconds);
          return [];
        }),
      );
    },
    async deadLetter(deadLettered: readonly DeadLetter[]) {
      await inRequests(deadLettered, maxMessages, (some) =>
        crash.inParts('dead-letter', some, async (sent) => {
          await queue.deadLetter(sent);
          return [];
        }),
      );
    },
  };
}

/** An archive likewise. */
export function crashingArchive(archive: ArchivePort, crash: Crash): ArchivePort {
  return {
    head: (objectKey) => crash.request('head', () => archive.head(objectKey)),
    put: (objectKey, object, replaces) =>
      crash.request('put', () => archive.put(objectKey, object, replaces)),
    erase: (objectKey, upTo) => crash.request('erase', () => archive.erase(objectKey, upTo)),
  };
}

function getOnce(table: TablePort, crash: Crash, keys: readonly ItemKey[]): Promise<readonly Item[]> {
  return crash.request('get many', () => table.getMany(keys));
}

function updateOnce(
  table: TablePort,
  crash: Crash,
  updates: readonly GuardedUpdate[],
): Promise<readonly WriteOutcome[]> {
  return crash.inParts('update', updates, (some) => table.update(some));
}

function removeOnce(
  table: TablePort,
  crash: Crash,
  root: RootCondition,
  removals: readonly GuardedRemoval[],
): Promise<readonly WriteOutcome[]> {
  return crash.request('remove', () => table.remove(root, removals));
}

/** One request after another, each of at most so many; their answers together. */
async function inRequests<Asked, Answer>(
  all: readonly Asked[],
  most: number,
  ask: (some: readonly Asked[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let start = 0; start < all.length; start += most)
    answers.push(...(await ask(all.slice(start, start + most))));
  return answers;
}
