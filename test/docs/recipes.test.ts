import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Aggregate } from '../../src/model/aggregate.ts';
import type { Item } from '../../src/model/item.ts';
import { makeRegistry, type Registry } from '../../src/model/registry.ts';
import type { Rule } from '../../src/model/rule.ts';
import { ModelWorker } from '../../src/testing/table-model/model-worker.ts';
import { table } from '../application/table.ts';
import { item, type Plain } from '../fixtures/model/items.ts';
import { folderToCompile, typeCheck } from './fixtures/type-check.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/recipes.md', import.meta.url)), 'utf8');
const application = fileURLToPath(new URL('../application/table.ts', import.meta.url));
const source = `import { count, defineAggregate, defineKind, defineRule, sum } from 'stream-denormalizer';
import * as z from 'zod';
import { GSI1 } from '${application}';
${[...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n')}`;

let folder: string;
let complaints: string;
let registry: Registry;

beforeAll(async () => {
  folder = folderToCompile('recipes-page-');
  const file = join(folder, 'recipes.ts');
  writeFileSync(file, source);
  complaints = await typeCheck(folder);
  const exported: Record<string, unknown> = await import(/* @vite-ignore */ file);
  const values = Object.values(exported);
  registry = makeRegistry(table, values.filter(isRule), [], [], values.filter(isAggregate));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isRule(value: unknown): value is Rule {
  return typeof value === 'object' && value !== null && 'located' in value;
}

function isAggregate(value: unknown): value is Aggregate {
  return typeof value === 'object' && value !== null && 'computes' in value;
}

describe('the page of recipes', () => {
  test('has at most 900 words beside its code', () => {
    const words = page.replaceAll(/^```[\s\S]*?^```$/gm, '').split(/\s+/);

    expect(words.length).toBeLessThanOrEqual(900);
  });

  test('has rules that compile, and that load together', () => {
    expect(complaints).toBe('');
    expect(registry.rules.map(({ name }) => name)).toEqual([
      'author-on-posts',
      'author-on-comments',
      'post-on-tags',
      'comments-go-with-post',
    ]);
    expect(registry.aggregates.map(({ name }) => name)).toEqual([
      'comments-of-post',
      'votes-of-bucket',
      'votes-of-post',
    ]);
  });

  test('is linked from the README', () => {
    const readme = fileURLToPath(new URL('../../README.md', import.meta.url));

    expect(readFileSync(readme, 'utf8')).toContain('](docs/recipes.md)');
  });
});

type Attributes = Readonly<Record<string, Plain>>;

const anAuthor = (AuthorName: string) => item({ PK: 'AUTHOR#a', SK: 'PROFILE', Type: 'Author', AuthorName });

const aPost = (attributes: Attributes = {}) =>
  item({
    ...{ PK: 'POST#1', SK: 'POST', Type: 'Post', AuthorId: 'a', AuthorName: 'Ada', Title: 'One' },
    ...{ Status: 'PUBLISHED', Tags: ['x', 'y'], GSI1PK: 'AUTHOR#a', GSI1SK: 'POST#1', ...attributes },
  });

const aComment = (id: string) =>
  item({
    ...{ PK: 'POST#1', SK: `COMMENT#${id}`, Type: 'Comment', AuthorId: 'a', AuthorName: 'Ada' },
    ...{ GSI1PK: 'AUTHOR#a', GSI1SK: `COMMENT#${id}` },
  });

const aBucket = (id: number) => item({ PK: 'POST#1', SK: `BUCKET#${id}`, Type: 'Bucket' });

const aVote = (bucket: number, voter: string) =>
  item({ PK: `VOTES#1#${bucket}`, SK: `VOTER#${voter}`, Type: 'Vote' });

const post = { pk: 'POST#1', sk: 'POST' };
const entry = (tag: string) => ({ pk: `TAG#${tag}`, sk: 'POST#1' });

/** A worker on a table with these items, at rest. */
async function workerWith(...items: readonly Item[]) {
  const worker = new ModelWorker(registry);
  await write(worker, ...items);
  return worker;
}

/** Writes items as an application does, and waits for the worker. */
async function write(worker: ModelWorker, ...items: readonly Item[]): Promise<void> {
  for (const one of items) worker.table.put(one);
  await worker.rest();
  expect(worker.queue.deadLettered).toEqual([]);
}

describe('the recipe', () => {
  test('of an index that two kinds share updates both, and copies of copies', async () => {
    const worker = await workerWith(anAuthor('Ada'), aPost(), aComment('1'));

    await write(worker, anAuthor('Ada Lovelace'));

    for (const key of [post, { pk: 'POST#1', sk: 'COMMENT#1' }, entry('x'), entry('y')])
      expect(worker.table.read(key)).toMatchObject({ AuthorName: { S: 'Ada Lovelace' } });
  });

  test('of tags makes an entry for each tag, makes it again, and removes it with its tag', async () => {
    const worker = await workerWith(anAuthor('Ada'), aPost());
    expect(worker.table.read(entry('x'))).toEqual(
      item({ PK: 'TAG#x', SK: 'POST#1', Type: 'Tagged', Title: 'One', AuthorName: 'Ada' }),
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

  test('of comments that go with their post deletes them, those of a post that was put again not', async () => {
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

  test('of buckets adds up the votes of all buckets', async () => {
    const votes = [aVote(0, 'a'), aVote(0, 'b'), aVote(1, 'c')];
    const worker = await workerWith(anAuthor('Ada'), aPost(), aBucket(0), aBucket(1), ...votes);

    expect(worker.table.read({ pk: 'POST#1', sk: 'BUCKET#0' })).toMatchObject({ Votes: { N: '2' } });
    expect(worker.table.read(post)).toMatchObject({ Votes: { N: '3' } });
  });
});
