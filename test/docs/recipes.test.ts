import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkRegistry } from '../../src/check/check-project.ts';
import { projectOf } from '../../src/examples/project-examples.ts';
import type { Item } from '../../src/model/items/item.ts';
import type { Registry } from '../../src/model/rules/registry.ts';
import { ModelWorker } from '../../src/testing/table-model/model-worker.ts';
import { item, type Plain } from '../fixtures/model/items.ts';
import { recipesIn, workerOn, write } from './fixtures/recipes-page.ts';
import { folderToCompile, typeCheck } from './fixtures/type-check.ts';

let folder: string;
let complaints: string;
let registry: Registry;

beforeAll(async () => {
  folder = folderToCompile('recipes-page-');
  registry = await recipesIn(folder);
  complaints = await typeCheck(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the page of recipes has rules that compile, and that load together', () => {
  expect(complaints).toBe('');
  expect(checkRegistry(registry)).toEqual([]);
  expect(registry.rules.map(({ name }) => name)).toEqual([
    'author-on-posts',
    'author-on-comments',
    'post-on-tags',
    'comments-go-with-post',
    'price-on-pending-bookings',
    'folder-path',
    ...['post-keys', 'comment-keys', 'folder-keys'],
  ]);
  expect(registry.aggregates.map(({ name }) => name)).toEqual(['comments-of-post']);
});

test('the simulator can make the items of every recipe', () => {
  expect(projectOf(registry).obstacles).toEqual([]);
});

type Attributes = Readonly<Record<string, Plain>>;

const anAuthor = (Name: string) => item({ PK: 'AUTHOR#a', SK: 'PROFILE', Name });

const aPost = (attributes: Attributes = {}) =>
  item({
    ...{ PK: 'POST#1', SK: 'POST', AuthorId: 'a', AuthorName: 'Ada', Title: 'One' },
    ...{ Status: 'PUBLISHED', Tags: ['x', 'y'], ...attributes },
  });

const aComment = (id: string, AuthorId = 'a') => item({ PK: 'POST#1', SK: `COMMENT#${id}`, AuthorId });

const post = { pk: 'POST#1', sk: 'POST' };
const entry = (tag: string) => ({ pk: `TAG#${tag}`, sk: 'POST#1' });

const workerWith = (...items: readonly Item[]) => workerOn(registry, ...items);

describe('the recipe', () => {
  test('of a name on all that an author wrote updates copies of copies too', async () => {
    const worker = await workerWith(anAuthor('Ada'), aPost(), aComment('1'));

    await write(worker, anAuthor('Ada Lovelace'));

    for (const key of [post, { pk: 'POST#1', sk: 'COMMENT#1' }, entry('x'), entry('y')])
      expect(worker.table.read(key)).toMatchObject({ AuthorName: { S: 'Ada Lovelace' } });
  });

  test('of a foreign key clears the name and the index keys of a comment that loses it', async () => {
    const key = { pk: 'POST#1', sk: 'COMMENT#1' };
    const worker = await workerWith(anAuthor('Ada'), aPost(), aComment('1'));
    expect(worker.table.read(key)).toMatchObject({ AuthorName: { S: 'Ada' }, GSI1PK: { S: 'AUTHOR#a' } });

    worker.table.update(key, { remove: ['AuthorId'] });
    await worker.rest();
    expect(worker.table.read(key)).toEqual(item({ PK: 'POST#1', SK: 'COMMENT#1' }));
  });

  test('of tags makes an entry for each tag, makes it again, and removes it with its tag', async () => {
    const worker = await workerWith(anAuthor('Ada'), aPost());
    expect(worker.table.read(entry('x'))).toEqual(
      item({ PK: 'TAG#x', SK: 'POST#1', Title: 'One', AuthorName: 'Ada' }),
    );

    worker.table.delete(entry('x'));
    await worker.rest();
    expect(worker.table.read(entry('x'))).toMatchObject({ Title: { S: 'One' } });

    await write(worker, aPost({ Tags: ['y', 'z'] }));
    expect(worker.table.read(entry('x'))).toBeUndefined();
    expect(worker.table.read(entry('z'))).toMatchObject({ Title: { S: 'One' } });
  });

  test('of drafts has entries only while the post is published', async () => {
    const worker = await workerWith(anAuthor('Ada'), aPost({ Status: 'DRAFT' }));
    expect(worker.table.read(entry('x'))).toBeUndefined();

    await write(worker, aPost());
    expect(worker.table.read(entry('x'))).toMatchObject({ Title: { S: 'One' } });

    await write(worker, aPost({ Status: 'DRAFT' }));
    expect(worker.table.read(entry('x'))).toBeUndefined();
  });

  test('of comments that go with their post keeps those of a post that came back', async () => {
    const worker = await workerWith(anAuthor('Ada'), aPost(), aComment('1'));
    worker.table.delete(post);
    await write(worker, aPost());
    expect(worker.table.read({ pk: 'POST#1', sk: 'COMMENT#1' })).toMatchObject(aComment('1'));

    worker.table.delete(post);
    await worker.rest();
    expect(worker.table.items()).toEqual([anAuthor('Ada')]);
  });

  test('of a counter counts comments as they come and go', async () => {
    const worker = await workerWith(anAuthor('Ada'), aPost(), aComment('1'), aComment('2'));
    expect(worker.table.read(post)).toMatchObject({ Comments: { N: '2' } });

    worker.table.delete({ pk: 'POST#1', sk: 'COMMENT#1' });
    await worker.rest();
    expect(worker.table.read(post)).toMatchObject({ Comments: { N: '1' } });
  });

  test('of distinct names lists each commenter once, in order, as comments come and go', async () => {
    const comments = [aComment('1', 'c'), aComment('2', 'a'), aComment('3', 'c'), aComment('4', 'b')];
    const worker = await workerWith(aPost(), ...comments);
    expect(worker.table.read(post)).toMatchObject({ Commenters: { S: 'a,b,c' } });

    worker.table.delete({ pk: 'POST#1', sk: 'COMMENT#2' });
    worker.table.delete({ pk: 'POST#1', sk: 'COMMENT#3' });
    await worker.rest();
    expect(worker.table.read(post)).toMatchObject({ Commenters: { S: 'b,c' } });
  });

  describe('of a tree', () => {
    const folderKey = (id: string) => ({ pk: `FOLDER#${id}`, sk: 'FOLDER' });
    const aFolder = (id: string, ParentId?: string) =>
      item({ PK: `FOLDER#${id}`, SK: 'FOLDER', Type: 'Folder', Title: id, ...(ParentId && { ParentId }) });
    const above = (worker: ModelWorker, id: string) => worker.table.read(folderKey(id))?.['Ancestors'];
    const listed = (...ids: string[]) => ({ L: ids.map((S) => ({ S })) });
    const moved = async (worker: ModelWorker, id: string, ParentId: string) => {
      worker.table.update(folderKey(id), { set: item({ ParentId }) });
      await worker.rest();
    };

    test('moves all that is below a folder with it', async () => {
      const worker = await workerWith(aFolder('a'), aFolder('b', 'a'), aFolder('c', 'b'), aFolder('d', 'c'));
      expect(worker.table.read(folderKey('d'))).toMatchObject({
        ParentPath: { S: '/a/b/c' },
        Ancestors: listed('a', 'b', 'c'),
      });

      await write(worker, aFolder('e'));
      await moved(worker, 'b', 'e');
      expect(worker.table.read(folderKey('d'))).toMatchObject({
        ParentPath: { S: '/e/b/c' },
        Ancestors: listed('e', 'b', 'c'),
      });
    });

    test('takes path and list from a folder that becomes topmost', async () => {
      const worker = await workerWith(aFolder('a'), aFolder('b', 'a'), aFolder('c', 'b'));
      const { ParentId: _, ...left } = aFolder('b');

      worker.table.update(folderKey('b'), { remove: ['ParentId'] });
      await worker.rest();
      expect(worker.table.read(folderKey('b'))).toEqual(left);
      expect(above(worker, 'c')).toEqual(listed('b'));
    });

    test('takes all descendants with a folder, if its rule deletes', async () => {
      const rules = registry.rules.map((rule) =>
        rule.tree === undefined ? rule : { ...rule, onDelete: 'delete' as const },
      );
      const deleting = { ...registry, rules, rule: (name: string) => rules.find((one) => one.name === name) };
      const worker = await workerOn(deleting, aFolder('a'), aFolder('b', 'a'), aFolder('c', 'b'));

      worker.table.delete(folderKey('a'));
      await worker.rest();
      expect(worker.table.items()).toEqual([]);
    });

    test('takes one that names itself for topmost', async () => {
      const worker = await workerWith(aFolder('a'), aFolder('b', 'a'));

      await moved(worker, 'b', 'b');
      expect(worker.queue.deadLettered).toEqual([]);
      expect(above(worker, 'b')).toBeUndefined();
    });

    test('stops at a circle, and goes on when an application has broken it', async () => {
      const worker = await workerWith(aFolder('a'), aFolder('b', 'a'), aFolder('c', 'b'));

      await moved(worker, 'a', 'c');
      expect(worker.queue.deadLettered.map(({ code }) => code)).toContain('tree.circular');

      worker.table.update(folderKey('b'), { remove: ['ParentId'] });
      await worker.rest();
      expect([above(worker, 'b'), above(worker, 'c'), above(worker, 'a')]).toEqual([
        undefined,
        listed('b'),
        listed('b', 'c'),
      ]);
    });

    test('stops below a hundred folders', async () => {
      const ids = Array.from({ length: 103 }, (_, index) => `f${index}`);
      const worker = new ModelWorker(registry);
      for (const [index, id] of ids.entries()) worker.table.put(aFolder(id, ids[index - 1]));

      await worker.rest();
      expect(new Set(worker.queue.deadLettered.map(({ code }) => code))).toEqual(new Set(['tree.too-deep']));
      expect(above(worker, 'f100')).toEqual(listed(...ids.slice(0, 100)));
    });
  });
});

const listing = (Price: number) => item({ PK: 'LISTING#1', SK: 'LISTING', Price });
const theListing = { pk: 'LISTING#1', sk: 'LISTING' };
const booked = { pk: 'LISTING#1', sk: 'BOOKING#1' };
function price(worker: ModelWorker, key = booked): number {
  const value = worker.table.read(key)?.['Price'];
  return Number(value && 'N' in value && value.N);
}

describe('the recipe of bookings that follow while they are pending', () => {
  /**
   * A price of 1 that becomes 2, then 3, and a confirmation just before the worker's request of this number.
   * @returns the prices at the confirmation, and of the booking in the end, and when it is pending again; undefined if the
   * worker makes fewer requests
   */
  async function around(request: number, confirm: (worker: ModelWorker) => void) {
    const pending = item({ PK: 'LISTING#1', SK: 'BOOKING#1', Status: 'PENDING', Price: 1 });
    const worker = await workerWith(listing(1), pending);
    let requests = 0;
    let confirmed: { readonly booking: number; readonly listing: number } | undefined;
    worker.port.before = () => {
      requests += 1;
      if (requests !== request) return;
      confirm(worker);
      confirmed = { booking: price(worker), listing: price(worker, theListing) };
    };
    await write(worker, listing(2));
    await write(worker, listing(3));
    worker.port.before = () => {};
    const end = price(worker);
    worker.table.update(booked, { set: { Status: { S: 'PENDING' } } });
    await worker.rest();
    return confirmed && { confirmed, end, pendingAgain: price(worker) };
  }

  async function aroundEach(confirm: (worker: ModelWorker) => void) {
    const all = [];
    for (let request = 1; ; request += 1) {
      const one = await around(request, confirm);
      if (one === undefined) return all;
      all.push(one);
    }
  }

  test('writes no price after the confirmation, whenever that comes', async () => {
    const all = await aroundEach((worker) =>
      worker.table.update(booked, { set: { Status: { S: 'CONFIRMED' } } }),
    );

    for (const { confirmed, end, pendingAgain } of all)
      expect([end, pendingAgain]).toEqual([confirmed.booking, 3]);
    const lost = all.filter(({ confirmed }) => confirmed.booking < confirmed.listing);
    expect(lost.length).toBeGreaterThan(2);
    expect(lost.length).toBeLessThan(all.length);
  });

  test('keeps the price of that moment if the confirmation sets it', async () => {
    const all = await aroundEach((worker) => {
      const Price = { N: String(price(worker, theListing)) };
      worker.table.update(booked, { set: { Status: { S: 'CONFIRMED' }, Price } });
    });

    expect(all.length).toBeGreaterThan(3);
    for (const { confirmed, end } of all) expect(end).toBe(confirmed.listing);
  });
});
