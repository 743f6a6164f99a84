import type { AttributeValue } from '../../../../src/model/attribute-value.ts';
import type { GuardedUpdate } from '../../../../src/model/guarded-write.ts';
import { isCreation } from '../../../../src/model/guarded-write.ts';
import { type Item, type ItemKey, keyText } from '../../../../src/model/item.ts';
import type { TablePort } from '../../../../src/worker/ports.ts';
import { itemOf, updateOf } from './table-fixture.ts';

/** A table in memory that records its requests, and answers on demand. */
export function recordedTable() {
  const items = new Map<string, Item>();
  const asked: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  let failure: Error | undefined;
  async function answer<Result>(question: string, result: () => Result): Promise<Result> {
    asked.push(question);
    const answered = result();
    await gate;
    if (failure !== undefined) throw failure;
    return answered;
  }
  const sks = (keys: readonly ItemKey[]) => keys.map(({ sk }) => sk).join();
  const port: TablePort = {
    get: (key) => answer(`get ${key.sk}`, () => items.get(keyText(key))),
    getMany: (keys) =>
      answer(`getMany ${sks(keys)}`, () =>
        keys
          .map((key) => items.get(keyText(key)))
          .filter((item) => item !== undefined)
          .reverse(),
      ),
    query: ({ in: where, pk }) =>
      answer(`query of ${where} ${pk}`, () => ({
        entries: where === 'partition' ? [...items.values()] : [],
        next: undefined,
      })),
    update: (updates) =>
      answer(`update ${sks(updates.map(({ key }) => key))}`, () =>
        updates.map(({ key }) => (items.has(keyText(key)) ? 'written' : 'lost')),
      ),
    transact: (_, actions) =>
      answer(`transact ${sks(actions.map(({ key }) => key))}`, () =>
        actions.map((action) => {
          if (!isCreation(action)) return items.delete(keyText(action.key)) ? 'written' : 'root';
          if (items.has(keyText(action.key))) return 'lost';
          items.set(keyText(action.key), action.item);
          return 'written';
        }),
      ),
  };
  return {
    port,
    asked,
    put(sk: string, value: AttributeValue = { S: sk }): Item {
      const item = itemOf({ pk: 'p', sk }, { v: value });
      items.set(keyText({ pk: 'p', sk }), item);
      return item;
    },
    /** Holds answers back until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    fail(error: Error): void {
      failure = error;
    },
  };
}

export function keyOfSk(sk: string): ItemKey {
  return { pk: 'p', sk };
}

export function updateOfSk(sk: string): GuardedUpdate {
  return updateOf(keyOfSk(sk), { set: { v: { S: 'new' } } });
}
