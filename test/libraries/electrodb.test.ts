import { Entity } from 'electrodb';
import { expect, test } from 'vitest';
import { openedTable } from './opened-table.ts';

const model = { service: 'blog', version: '1' } as const;
const text = { type: 'string', required: true } as const;
const sk = { field: 'sk', composite: [] } as const;

test('ElectroDB reads the copies that follow its author, and those that the worker creates', async () => {
  const { tableName: table, documents: client, idle, verified } = await openedTable('electrodb');
  const authors = new Entity(
    {
      model: { ...model, entity: 'author' },
      attributes: { authorId: text, handle: text, name: text },
      indexes: { primary: { pk: { field: 'pk', composite: ['authorId'] }, sk } },
    },
    { client, table },
  );
  const handles = new Entity(
    {
      model: { ...model, entity: 'handle' },
      attributes: { handle: text, authorId: text, name: text },
      indexes: { primary: { pk: { field: 'pk', composite: ['handle'] }, sk } },
    },
    { client, table },
  );
  const posts = new Entity(
    {
      model: { ...model, entity: 'post' },
      attributes: {
        ...{ postId: text, authorId: text, authorName: { type: 'string' } },
        updatedAt: { type: 'number', watch: '*', set: () => Date.now() },
      },
      indexes: {
        primary: { pk: { field: 'pk', composite: ['postId'] }, sk },
        byAuthor: {
          index: 'gsi1',
          pk: { field: 'gsi1pk', composite: ['authorId'] },
          sk: { field: 'gsi1sk', composite: ['postId'] },
        },
      },
    },
    { client, table },
  );
  await posts.put({ postId: 'P1', authorId: 'Ada' }).go();
  await posts.put({ postId: 'P2', authorId: 'Bob' }).go();
  const before = (await posts.get({ postId: 'P1' }).go()).data;
  await authors.put({ authorId: 'Ada', handle: 'Countess', name: 'Ada' }).go();
  await idle();

  expect((await posts.query.byAuthor({ authorId: 'Ada' }).go()).data).toEqual([
    { ...before, authorName: 'Ada' },
  ]);
  expect((await handles.query.primary({ handle: 'countess' }).go()).data).toEqual([
    { handle: 'Countess', authorId: 'Ada', name: 'Ada' },
  ]);

  await authors.patch({ authorId: 'Ada' }).set({ name: 'Ada Lovelace', handle: 'Lovelace' }).go();
  await posts.patch({ postId: 'P2' }).set({ authorId: 'ADA' }).go();
  await idle();

  expect((await posts.query.byAuthor({ authorId: 'Ada' }).go()).data).toMatchObject([
    { postId: 'P1', authorName: 'Ada Lovelace' },
    { postId: 'P2', authorName: 'Ada Lovelace' },
  ]);
  expect((await handles.get({ handle: 'Countess' }).go()).data).toBeNull();
  expect((await handles.get({ handle: 'Lovelace' }).go()).data).toMatchObject({ name: 'Ada Lovelace' });
  expect(await verified()).toMatchObject({ items: 4, drift: 0 });
});
