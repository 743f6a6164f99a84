import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/model/items/item.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import type { ModelWorker } from '../../src/testing/table-model/model-worker.ts';
import { value } from '../fixtures/model/items.ts';
import { aDay, aSale, salesOfDay } from '../fixtures/world/days.ts';
import { codesOf, keyIn } from '../fixtures/world/worker.ts';
import { workerOver } from '../fixtures/world/world.ts';

const monday = keyIn(aDay('mon'));
const one = aSale('1', 'mon');
const free = aSale('2', 'mon', { Total: 0 });
const right = aDay('mon', { Sales: 1, Revenue: 5 });
const empty = aDay('mon', { Sales: 0, Revenue: 0 });
const other = { ...aDay('mon'), Kind: value('Holiday') };
const forms: readonly (readonly [string, number | undefined])[] = [
  ['without a ledger', undefined],
  ['with a ledger', 2],
];

/** What is at the key of Monday once the worker rests. */
async function dayAfter(
  worker: ModelWorker,
  ...writes: readonly (() => unknown)[]
): Promise<Item | undefined> {
  for (const write of writes) {
    write();
    await worker.rest();
  }
  return worker.table.read(monday);
}

function over(aggregate: Aggregate, ...items: readonly Item[]) {
  const worker = workerOver(items, { maxAttempts: 1 }, aggregate);
  const put = (item: Item) => () => worker.table.put(item);
  const remove = (item: Item) => () => worker.table.delete(keyIn(item));
  return { worker, put, remove };
}

describe.each(forms)('a target that the aggregate makes, %s,', (_, shards) => {
  const deleting = salesOfDay('delete', shards);

  test('comes with its first member, has its type and totals, and goes with the last', async () => {
    const { worker, put, remove } = over(deleting);

    expect(await dayAfter(worker, put(one))).toEqual(right);
    expect(await dayAfter(worker, put(free))).toEqual(aDay('mon', { Sales: 2, Revenue: 5 }));
    expect(await dayAfter(worker, remove(one))).toEqual(aDay('mon', { Sales: 1, Revenue: 0 }));
    expect(await dayAfter(worker, remove(free))).toBeUndefined();
    expect(await dayAfter(worker, put(one))).toEqual(right);
    expect(codesOf(worker)).toEqual([]);
  });

  test('stays with totals of 0 under keep, and is not made for no members', async () => {
    const { worker, put, remove } = over(salesOfDay('keep', shards));

    expect(await dayAfter(worker, put(one), remove(one))).toEqual(empty);
    expect(await dayAfter(worker, remove(empty))).toBeUndefined();
    expect(worker.telemetry.propagations.at(-1)).toMatchObject({ absent: 0 });
  });

  test('follows a member to another target', async () => {
    const { worker, put } = over(deleting);

    expect(await dayAfter(worker, put(one), put(aSale('1', 'tue')))).toBeUndefined();
    expect(worker.table.read(keyIn(aDay('tue')))).toEqual(aDay('tue', { Sales: 1, Revenue: 5 }));
  });

  test('is made again if somebody deletes it, and computed again if somebody overwrites it', async () => {
    const { worker, put, remove } = over(deleting);

    expect(await dayAfter(worker, put(one), remove(right))).toEqual(right);
    expect(await dayAfter(worker, put(aDay('mon')))).toEqual(right);
  });

  test('stays while it has an attribute that nobody but an application writes', async () => {
    for (const name of ['Note', 'Unlisted', 'EndsAt']) {
      const { worker, put, remove } = over(deleting);
      const noted = { ...right, [name]: value(7) };

      expect(await dayAfter(worker, put(one), put(noted), remove(one))).toEqual({
        ...empty,
        [name]: value(7),
      });
      expect(await dayAfter(worker, put(empty))).toBeUndefined();
    }
  });

  test('is not removed with a note that comes while it is found empty', async () => {
    const { worker, put, remove } = over(deleting);
    await dayAfter(worker, put(one));
    worker.port.before = (request) => {
      if (request.kind === 'remove' && request.actions.some(({ key }) => key.sk === monday.sk))
        worker.table.put({ ...right, Note: value('x') });
    };

    expect(await dayAfter(worker, remove(one))).toEqual({ ...empty, Note: value('x') });
  });

  test('is never put over another kind of item, which is dead-lettered while it has members', async () => {
    const { worker, put, remove } = over(deleting, other);

    expect(await dayAfter(worker, put(one))).toEqual(other);
    expect(codesOf(worker)).toContain('target.taken');
    const letters = worker.queue.deadLettered.length;
    expect(await dayAfter(worker, remove(one))).toEqual(other);
    expect(worker.queue.deadLettered).toHaveLength(letters);
  });

  test('counts members that are valid, and is empty without one', async () => {
    const { worker, put } = over({ ...deleting, invalid: 'skip' });
    const invalid = aSale('1', 'mon', { Total: 'x' });

    expect(await dayAfter(worker, put(invalid))).toBeUndefined();
    expect(await dayAfter(worker, put(one))).toEqual(right);
    expect(await dayAfter(worker, put(invalid))).toBeUndefined();
  });
});

test('a target of the last member alone goes with the last of all', async () => {
  const aggregate = salesOfDay('delete');
  const members = aggregate.members.map((location) => ({ ...location, first: undefined, last: 1 }));
  const { worker, put, remove } = over({ ...aggregate, members });

  expect(await dayAfter(worker, put(one), put(free))).toEqual(aDay('mon', { Sales: 1, Revenue: 0 }));
  expect(await dayAfter(worker, remove(free))).toEqual(right);
  expect(await dayAfter(worker, remove(one))).toBeUndefined();
});

test('a key that is no key of a target is left alone', async () => {
  const elsewhere = { ...salesOfDay('delete'), targetsOf: () => [{ pk: 'SHOP#a', sk: 'WEEK#1' }] };
  const { worker, put } = over(elsewhere);

  await dayAfter(worker, put(one));
  expect(worker.table.items()).toEqual([one]);
  expect(worker.telemetry.propagations).toMatchObject([{ absent: 1 }]);
});
