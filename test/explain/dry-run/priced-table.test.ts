import { describe, expect, test } from 'vitest';
import { changesOf, pricedTable } from '../../../src/explain/dry-run/priced-table.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { item } from '../../fixtures/model/items.ts';
import { portOf } from '../../fixtures/model/port-of.ts';
import { table } from '../../fixtures/model/table.ts';

const key = { pk: 'p', sk: 's' };
const owned = { OwnerPart: 'o', OwnerSort: 'o' };

function priced(...items: Item[]): ReturnType<typeof pricedTable> {
  return pricedTable(portOf(table, items), table);
}

function sized(sk: string, bytes: number): Item {
  return item({ Part: 'p', Sort: sk, ...owned, Body: 'x'.repeat(bytes) });
}

describe('a priced table', () => {
  test('reports the cost of each read', async () => {
    const port = priced(sized('a', 5_000), sized('b', 10));
    await port.get({ pk: 'p', sk: 'a' });
    await port.getMany([
      { pk: 'p', sk: 'b' },
      { pk: 'p', sk: 'none' },
    ]);
    const location = { in: 'partition', pk: 'p' } as const;
    await port.query(location, 10);

    expect(port.take().steps).toEqual([
      { does: 'read', key: { pk: 'p', sk: 'a' }, readUnits: 2 },
      { does: 'read', key: { pk: 'p', sk: 'b' }, readUnits: 1 },
      { does: 'read', key: { pk: 'p', sk: 'none' }, readUnits: 1 },
      { does: 'query', location, found: 2, readUnits: 2 },
    ]);
    expect(port.take().steps).toEqual([]);
  });

  test('prices a page of an index by whole items, and reads them once', async () => {
    const asked: number[] = [];
    const inner = portOf(table, [sized('a', 5_000), sized('b', 4_000)]);
    inner.before = (request) => {
      if (request.kind === 'getMany') asked.push(request.keys.length);
    };
    const port = pricedTable(inner, table);
    const location = { in: 'index', index: 'ByOwner', pk: 'o' } as const;
    const { entries } = await port.query(location, 10);
    await port.getMany(entries.map((entry) => entry.key));

    expect(port.take().steps.map((step) => 'readUnits' in step && step.readUnits)).toEqual([1.5, 2, 1]);
    expect(asked).toEqual([2]);
  });

  test('sends no request for an invalid key', async () => {
    const port = priced();

    expect(await port.get({ pk: '', sk: 's' })).toBeUndefined();
    expect(port.take().steps).toEqual([]);
  });

  test('includes planned writes in later reads, and writes nothing', async () => {
    const inner = portOf(table, [item({ Part: 'p', Sort: 's', Name: 'a', Old: 1 })]);
    const port = pricedTable(inner, table);
    await port.get(key);
    await port.update([{ key, set: { Name: { S: 'b' } }, remove: ['Old'], expect: {} }]);
    const written = item({ Part: 'p', Sort: 's', Name: 'b' });

    expect(await port.get(key)).toEqual({ key, item: written });
    expect((await port.query({ in: 'partition', pk: 'p' }, 10)).entries).toEqual([{ key, item: written }]);
    await port.transact({ key: { pk: 'r', sk: 'r' }, expect: 'absent' }, [
      { key, clear: undefined, expect: {}, size: 1 },
    ]);
    expect(await port.getMany([key])).toEqual([]);
    expect((await port.query({ in: 'partition', pk: 'p' }, 10)).entries).toEqual([]);
    expect((await inner.get(key))?.item).toEqual(item({ Part: 'p', Sort: 's', Name: 'a', Old: 1 }));
    expect(changesOf(port.take().steps).map(({ after }) => after)).toEqual([written, undefined]);
  });

  test('shows what a planned write places on an index once, on its first page', async () => {
    const port = priced(sized('a', 10), sized('b', 10), item({ Part: 'p', Sort: 'c' }));
    const c = { pk: 'p', sk: 'c' };
    await port.getMany([c]);
    await port.update([{ key: c, set: item(owned), remove: [], expect: {} }]);
    const location = { in: 'index', index: 'ByOwner', pk: 'o' } as const;
    const { entries, next } = await port.query(location, 1);

    expect(entries.map(({ key: { sk } }) => sk)).toEqual(['a', 'c']);
    expect((await port.query(location, 1, next)).entries.map(({ key: { sk } }) => sk)).toEqual(['b']);
  });

  test('prices the root’s condition once for each transaction', async () => {
    const copies = Array.from({ length: 150 }, (_, index) => sized(String(index), 10));
    const root = item({ Part: 'r', Sort: 'r', Name: 'x'.repeat(1_500) });
    const port = priced(root, ...copies);
    const removals = copies.map((_, index) => ({
      key: { pk: 'p', sk: String(index) },
      clear: undefined,
      expect: {},
      size: 50,
    }));
    await port.get({ pk: 'r', sk: 'r' });
    await port.getMany(removals.map((removal) => removal.key));
    await port.transact({ key: { pk: 'r', sk: 'r' }, expect: { Name: { S: 'x' } } }, removals);
    const { steps, requests } = port.take();

    const conditions = steps.flatMap((step) => (step.does === 'condition' ? [step.writeUnits.total] : []));
    expect(conditions).toEqual([4, 4]);
    expect(requests).toEqual([1, 2, 2]);
    const deletions = steps.flatMap((step) => (step.does === 'write' ? [step.writeUnits] : []));
    expect(deletions).toHaveLength(150);
    expect(deletions[0]).toEqual({ table: 2, indexes: { ByOwner: 1, ByState: 0 }, total: 3 });
  });
});
