import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import type { Aggregate, EmptyPolicy } from '../../../src/model/rules/aggregate.ts';
import { headKey } from '../../../src/model/rules/ledger.ts';
import { RecordingTelemetry } from '../../../src/testing/table-model/model-worker.ts';
import { value } from '../../fixtures/model/items.ts';
import { aDay, aSale, salesOfDay } from '../../fixtures/world/days.ts';
import { inSmallPages, WorldSearch } from '../../fixtures/world/search.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { workerAfter } from '../../fixtures/world/world.ts';

const right = aDay('mon', { Sales: 3, Revenue: 15 });
const empty = aDay('mon', { Sales: 0, Revenue: 0 });
const sales = ['1', '2', '3'].map((one) => aSale(one, 'mon'));
const missing = 'missing sales-of-day SHOP#a DAY#mon';
const found = 'empty sales-of-day SHOP#a DAY#mon';

/** A table as the worker leaves it, and then without or with some items of which it knows nothing. */
async function searchAfter(aggregate: Aggregate, change: (search: WorldSearch) => void = () => {}) {
  const worker = await workerAfter(sales, aggregate);
  const search = new WorldSearch(worker.table.items(), aggregate);
  change(search);
  return search;
}

/** What a search finds, what a repair leaves, and the target after it. */
async function repaired(search: WorldSearch, allowRemove = false) {
  await search.run();
  const lines = search.lines();
  const { leftAlone } = await search.propagations({ allowRemove }).repair(search.found);
  return { lines, codes: leftAlone.map(({ code }) => code), target: search.table.read(keyIn(right)) };
}

const lost = ({ table }: WorldSearch) => table.delete(keyIn(right));
const sold = ({ table }: WorldSearch) => {
  for (const one of sales) table.delete(keyIn(one));
};

describe.each([
  ['without a ledger', undefined],
  ['with a ledger', 2],
])('a target that the aggregate makes, %s,', (_, shards) => {
  const aggregate = (onEmpty: EmptyPolicy) => salesOfDay(onEmpty, shards);

  test('is found once if it is missing, and made', async () => {
    const search = await searchAfter(aggregate('delete'), lost);

    expect(await repaired(search)).toEqual({ lines: [missing], codes: [], target: right });
  });

  test('is right with its totals', async () => {
    const search = await searchAfter(aggregate('keep'));
    await search.run();

    expect(search.lines()).toEqual([]);
  });

  test('whose key has another kind of item is reported as invalid', async () => {
    const search = await searchAfter(aggregate('delete'), ({ table }) => {
      table.put({ ...aDay('mon'), Kind: value('Holiday') });
    });
    await search.run();

    expect(search.found).toMatchObject([{ kind: 'invalid', code: 'target.taken' }]);
  });

  test('is made by a backfill of members that are older than the aggregate, which computes it once', async () => {
    const telemetry = new RecordingTelemetry();
    const search = await searchAfter(aggregate('delete'), lost);
    await search.backfill(aggregate('delete'), {
      propagations: search.propagations({ telemetry }),
      scan: inSmallPages(search.scan),
    });

    expect(search.table.read(keyIn(right))).toEqual(right);
    expect(
      telemetry.propagations.filter(({ root, written }) => root.sk === 'DAY#mon' && written > 0),
    ).toHaveLength(1);
    expect(telemetry.propagations.filter(({ cause }) => cause === 'repair')).toHaveLength(1);
  });
});

describe('a target without members', () => {
  test('is gone, and the heads of its ledger stay without drift', async () => {
    const aggregate = salesOfDay('delete', 2);
    const worker = await workerAfter(sales, aggregate);
    for (const one of sales) worker.table.delete(keyIn(one));
    await worker.rest();
    const search = new WorldSearch(worker.table.items(), aggregate);
    await search.run();

    expect(search.table.items()).not.toHaveLength(0);
    expect(search.lines()).toEqual([]);
  });

  test('may be missing', async () => {
    const search = await searchAfter(salesOfDay('keep'), (one) => {
      sold(one);
      lost(one);
      one.table.put({ ...aSale('4', 'mon'), Part: value('SHOP#b') });
    });
    const { rules } = await search.run();

    expect(search.lines()).toEqual(['missing sales-of-day SHOP#b DAY#mon']);
    expect(rules['sales-of-day']).toMatchObject({ members: 1, targetless: 0 });
  });

  test('is removed by a repair that may remove, and left alone by another', async () => {
    for (const allowRemove of [false, true]) {
      const search = await searchAfter(salesOfDay('delete'), sold);

      expect(await repaired(search, allowRemove)).toEqual({
        lines: [found],
        ...(allowRemove ? { codes: [], target: undefined } : { codes: ['empty'], target: right }),
      });
    }
  });

  test('is found through the count of its heads', async () => {
    const aggregate = salesOfDay('delete', 1);
    const search = await searchAfter(aggregate, ({ table }) => {
      const zero = { N: '0' };
      table.update(headKey(aggregate, keyIn(right), 0), { set: { '+Sales': zero, '+Revenue': zero } });
    });
    await search.run();

    expect(search.lines()).toContain(found);
  });

  test.each<[string, EmptyPolicy, Item]>([
    ['that are kept', 'keep', empty],
    ['with something of an application', 'delete', { ...empty, Note: value('x') }],
  ])('has totals of 0, of those %s', async (_, onEmpty, target) => {
    const search = await searchAfter(salesOfDay(onEmpty), (one) => {
      sold(one);
      one.table.put(target);
    });

    expect(await repaired(search)).toEqual({ lines: [], codes: [], target });
  });
});
