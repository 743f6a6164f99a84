import type { AttributeValue } from '../../../../src/model/items/attribute-value.ts';
import type { ItemKey, KeyedItem } from '../../../../src/model/items/item.ts';
import type { GuardedUpdate } from '../../../../src/model/work/guarded-write.ts';
import { ModelTable } from '../../../../src/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../../../src/testing/table-model/model-table-port.ts';
import type { TablePort } from '../../../../src/worker/ports.ts';
import { itemOf, names, updateOf } from './table-fixture.ts';

/** A table in memory that records its requests, and answers on demand, many items in any order. */
export function recordedTable() {
  const model = new ModelTable(names);
  const inner = new ModelTablePort(model);
  const asked: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  let failure: Error | undefined;
  async function answer<Result>(
    what: string,
    keys: readonly ItemKey[],
    result: Promise<Result>,
  ): Promise<Result> {
    asked.push(`${what} ${keys.map(({ sk }) => sk).join()}`);
    const answered = await result;
    await gate;
    if (failure !== undefined) throw failure;
    return answered;
  }
  const port: TablePort = {
    get: (key) => answer('get', [key], inner.get(key)),
    getMany: async (keys) => (await answer('getMany', keys, inner.getMany(keys))).toReversed(),
    query: (range, ...page) => inner.query(range, ...page),
    update: (updates) =>
      answer(
        'update',
        updates.map(({ key }) => key),
        inner.update(updates),
      ),
    transact: (root, actions) => inner.transact(root, actions),
  };
  return {
    port,
    asked,
    put(sk: string, value: AttributeValue = { S: sk }): KeyedItem {
      const key = { pk: 'p', sk };
      const item = itemOf(key, { v: value });
      model.put(item);
      return { key, item };
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
