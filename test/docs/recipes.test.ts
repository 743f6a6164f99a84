import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectOf } from '../../src/examples/project-examples.ts';
import type { Item } from '../../src/model/items/item.ts';
import type { Registry } from '../../src/model/rules/registry.ts';
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
  expect(registry.rules.map(({ name }) => name)).toEqual([
    'author-on-posts',
    'author-on-comments',
    'post-on-tags',
    'comments-go-with-post',
    'price-on-pending-bookings',
    'grams-on-contents',
    ...['post-keys', 'comment-keys', 'content-keys', 'subscription-keys'],
  ]);
  expect(registry.aggregates.map(({ name }) => name)).toEqual([
    'comments-of-post',
    'plan-of-author',
    'grams-of-parcel',
  ]);
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

  test('of one of something gives the author its plan while it has one', async () => {
    const key = { pk: 'SUBSCRIPTION#1', sk: 'SUBSCRIPTION' };
    const subscription = item({ PK: key.pk, SK: key.sk, AuthorId: 'a', Plan: 'basic' });
    const worker = await workerWith(anAuthor('Ada'), subscription);
    expect(worker.table.read({ pk: 'AUTHOR#a', sk: 'PROFILE' })).toMatchObject({ Plan: { S: 'basic' } });

    worker.table.delete(key);
    await worker.rest();
    expect(worker.table.read({ pk: 'AUTHOR#a', sk: 'PROFILE' })).toEqual(anAuthor('Ada'));
  });

  test('of many to many sums the weights of the articles in a parcel', async () => {
    const article = (id: string, Grams: number) => item({ PK: `ARTICLE#${id}`, SK: 'ARTICLE', Grams });
    const content = (id: string) => item({ PK: 'PARCEL#1', SK: `ARTICLE#${id}` });
    const parcel = { pk: 'PARCEL#1', sk: 'PARCEL' };
    const empty = item({ PK: 'PARCEL#1', SK: 'PARCEL' });
    const worker = await workerWith(article('x', 100), article('y', 20), empty, content('x'), content('y'));
    expect(worker.table.read(parcel)).toMatchObject({ Grams: { N: '120' } });

    await write(worker, article('x', 3));
    expect(worker.table.read(parcel)).toMatchObject({ Grams: { N: '23' } });

    worker.table.delete({ pk: 'ARTICLE#y', sk: 'ARTICLE' });
    await worker.rest();
    expect(worker.table.read(parcel)).toMatchObject({ Grams: { N: '3' } });
  });
});
