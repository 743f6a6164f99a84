import { expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { ownKey } from '../../../src/model/items/own-items.ts';
import { ItemLog } from '../../../src/page/server/item-log.ts';
import { listView, queryView } from '../../../src/page/views/items-view.ts';
import { ModelScan } from '../../../src/testing/table-model/model-scan.ts';
import { ModelTable } from '../../../src/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../../src/testing/table-model/model-table-port.ts';
import { item } from '../../fixtures/model/items.ts';
import { aMembership, aUser } from '../../fixtures/world/items.ts';
import { aPost, aTagged, titleOnTags } from '../../fixtures/world/posts.ts';
import { usernameOnMemberships } from '../../fixtures/world/rules.ts';
import { aContender, aMatch, contenderTotals } from '../../fixtures/world/totals.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { registryOf } from '../../fixtures/world/world.ts';

const registry = registryOf(titleOnTags, contenderTotals, usernameOnMemberships);

function tableOf(items: readonly Item[], changed: readonly Item[] = []) {
  const model = new ModelTable(registry.table);
  for (const item of [...items, ...changed]) model.put(item);
  const log = new ItemLog();
  for (const [at, item] of changed.entries())
    log.add(keyIn(item), { at, text: 'put', byWorker: false }, [
      item['Kind'] && 'S' in item['Kind'] ? item['Kind'].S : '',
    ]);
  const source = { registry, table: new ModelTablePort(model), scan: new ModelScan(model), log };
  return {
    model,
    log,
    list: (asked: Record<string, string> = {}) => listView(source, new URLSearchParams(asked)),
    query: (asked: Record<string, string>) => queryView(source, new URLSearchParams(asked)),
  };
}

const posts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => aPost([], `title ${at + from}`, `${at + from}`));

/** The keys of all pages. */
async function allPages(page: (from: string) => ReturnType<typeof listView>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let from: string | undefined = ''; from !== undefined; ) {
    const { rows, next } = await page(from);
    pages.push(rows.map(({ key }) => key.pk));
    from = next;
  }
  return pages;
}

test('what changed in this run comes first, the newest first, and then each other item once', async () => {
  const { list } = tableOf(posts(120), posts(60, 120));
  const pages = await allPages((from) => list({ kind: 'Post', from }));
  const all = pages.flat();

  expect(pages[0]).toHaveLength(50);
  expect(all.slice(0, 60)).toEqual(Array.from({ length: 60 }, (_, at) => `POST#${179 - at}`));
  expect(all).toHaveLength(180);
  expect(new Set(all).size).toBe(180);
  expect((await list({ kind: 'Post' })).rows[0]).toMatchObject({ changedAt: 59, kinds: ['Post'] });
  expect(await tableOf(posts(3), posts(2)).list()).toMatchObject({ rows: { length: 3 }, read: 3 });
});

test('items of all kinds are listed without the worker’s own', async () => {
  const pauses = ownKey(registry.table, 'PAUSES');
  const { list } = tableOf([
    item({ Part: 'X', Sort: 'y', b: 1, a: 1 }),
    item({ Part: pauses?.pk, Sort: pauses?.sk }),
  ]);
  const { rows, columns } = await list();

  expect(rows.map(({ key }) => key.pk)).toEqual(['X']);
  // As frequent as each other: by their names.
  expect(columns).toEqual(['a', 'b']);
});

test('an item that is gone is not listed, whatever happened to it', async () => {
  const { list, model } = tableOf([], posts(2));
  model.delete(keyIn(aPost([], '', '1')));

  const { rows, read } = await list();
  expect([rows.map(({ key }) => key.pk), read]).toEqual([['POST#0'], 1]);
});

test('a dead letter changes no item', async () => {
  const { list, log } = tableOf([], posts(1));
  log.add(keyIn(aPost([], '', '0')), { at: 9, text: 'dead-lettered', reason: 'a', byWorker: true });

  expect((await list()).rows).toMatchObject([{ changedAt: 0 }]);
});

test('a search that finds little says how much it read, and goes on', async () => {
  const { list } = tableOf(posts(3_000));
  const first = await list({ kind: 'Contender' });

  expect(first).toMatchObject({ rows: [], read: 2_000, next: expect.stringContaining('after') });
  expect(await list({ kind: 'Contender', from: first.next ?? '' })).toMatchObject({
    read: 1_000,
    next: undefined,
  });
});

test('items are filtered by the beginning of a key, and by an attribute', async () => {
  const { list } = tableOf([...posts(20), aContender('a')]);
  const keys = async (asked: Record<string, string>) =>
    (await list(asked)).rows.map(({ key }) => key.pk).sort();

  expect(await keys({ begins: 'POST#1' })).toHaveLength(11);
  expect(await keys({ begins: 'POST#1 / PO' })).toEqual(['POST#1']);
  expect(await keys({ attribute: 'Name' })).toEqual(['CONTENDER#a']);
  expect(await keys({ attribute: 'Title = TITLE 7' })).toEqual(['POST#7']);
  await expect(list({ kind: 'Nobody' })).rejects.toThrow('Expected a kind of the project');
  await expect(list({ from: '{"x":1}' })).rejects.toThrow('Expected the beginning of a page');
});

test('columns are the kind’s attributes, then the most frequent; what is large is not sent', async () => {
  const wide = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`a${at}`, { S: 'x' }]));
  const large = { ...aPost(['t'], 'x'.repeat(300)), ...wide };
  const view = await tableOf([large, aPost([], 'two', '2')]).list({ kind: 'Post', attribute: 'a7' });

  expect(view.columns.slice(0, 3)).toEqual(['a7', 'Title', 'Tags']);
  expect(view).toMatchObject({
    columns: { length: 5 },
    hidden: { length: 57 },
    rows: [{ values: [{ S: 'x' }, false, {}, {}, {}] }],
  });
  expect((await tableOf(posts(1)).list({ attribute: 'Views' })).rows).toEqual([]);
  expect(JSON.stringify(view).length).toBeLessThan(1_000);
});

test('a row leads to its root, to copies and targets that exist, and to the query of others', async () => {
  const { list } = tableOf([
    ...[aPost(['there', 'missing']), aTagged('there'), aUser(), aMembership('s')],
    ...[aContender('a'), aMatch('a', 'nobody')],
  ]);
  const rowOf = async (kind: string) => (await list({ kind })).rows[0];

  expect(await rowOf('Post')).toMatchObject({ follows: [], followedBy: [{ pk: 'TAG#there' }] });
  expect(await rowOf('TaggedPost')).toMatchObject({ follows: [{ pk: 'POST#1', sk: 'POST' }] });
  expect((await rowOf('Match'))?.followedBy).toEqual([{ pk: 'CONTENDER#a', sk: 'CONTENDER' }]);
  expect((await rowOf('User'))?.queries).toEqual([
    { kind: 'Membership', parameters: { index: 'ByOwner', pk: 'USER#1', sk: 'SERVER#', query: '1' } },
  ]);
});

test('a query of an index shows its items as they are in the table, a page at a time', async () => {
  const memberships = Array.from({ length: 70 }, (_, at) => aMembership(String(at), { Role: `role ${at}` }));
  const { query } = tableOf([...memberships, aUser()]);
  const asked = { index: 'ByOwner', pk: 'USER#1', sk: 'SERVER#' };
  const pages = await allPages((from) => query({ ...asked, from }));

  expect(pages.map(({ length }) => length)).toEqual([50, 20]);
  const [row] = (await query({ ...asked, sk: 'SERVER#69' })).rows;
  expect(row?.values).toContainEqual({ S: 'role 69' });
  expect((await query({ pk: 'SERVER#3' })).rows).toHaveLength(1);
  await expect(query({ index: 'Nobody', pk: 'x' })).rejects.toThrow('Expected an index');
  await expect(query({ pk: '' })).rejects.toThrow('Expected a partition key');
});
