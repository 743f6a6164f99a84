import { Table } from 'dynamodb-onetable';
import * as toolbox from 'dynamodb-toolbox';
import { Entity } from 'electrodb';
import { expect, test } from 'vitest';
import { rulesIn } from '../fixtures/pull/pulled.ts';
import { openedTable } from './opened-table.ts';

const people = ['Ada', 'Bob', 'Cid', 'Dan'];

test('pull finds what ElectroDB wrote', async () => {
  const { tableName: table, documents: client, pulled } = await openedTable('electrodb');
  const text = { type: 'string', required: true } as const;
  const sk = { field: 'sk', composite: [] } as const;
  const model = { service: 'blog', version: '1' } as const;
  const authors = new Entity(
    {
      model: { ...model, entity: 'author' },
      attributes: { authorId: text, handle: text, name: text },
      indexes: { primary: { pk: { field: 'pk', composite: ['authorId'] }, sk } },
    },
    { client, table },
  );
  const posts = new Entity(
    {
      model: { ...model, entity: 'post' },
      attributes: { postId: text, authorId: text, authorName: { type: 'string' }, title: text },
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
  for (const [at, name] of people.entries()) {
    await authors.put({ authorId: name, handle: `H${name}`, name: `Name ${name}` }).go();
    for (const n of [1, 2])
      await posts
        .put({ postId: `P${at}${n}`, authorId: name, authorName: `Name ${name}`, title: `T${at}${n}` })
        .go();
  }
  const { kinds, rules } = await pulled();

  expect(kinds).toContain("pk: '$blog#authorid_{author}',\n  sk: '$author_1',");
  expect(kinds).toContain("pk: '$blog#postid_{post}',\n  sk: '$post_1',");
  expect(kinds).toContain('Ids in pk are in lower case: `postId` is not.');
  expect(kinds).toContain('ElectroDB makes the keys of gsi1: derive nothing.');
  expect(kinds).not.toContain('keys:');
  expect(rulesIn(rules)).toEqual([
    `name: 'author-on-post', root: author, copy: post, reads: { copy: ['gsi1pk'] }, located: { in: 'index', index: table.indexes.gsi1, at: ({ ids }) => ({ pk: author.pk(ids), begins: '$post_1#postid_' }) }, rootOf: ({ gsi1pk }) => ({ pk: gsi1pk, sk: '$author_1' }), copies: { name: 'authorName' }, onDelete: 'keep', onExpire: 'keep',`,
  ]);
  expect(rules).toMatch(
    /^\/\/ (Handle → Author|Author → Handle)\? .*: either may be the root of the other\.$/m,
  );
});

test('pull finds what OneTable wrote', async () => {
  const { tableName: name, client, pulled } = await openedTable('onetable');
  const key = (value: string) => ({ type: String, value }) as const;
  const id = { type: String, required: true } as const;
  const schema = {
    ...{ format: 'onetable:1.1.0', version: '0.0.1' },
    indexes: { primary: { hash: 'pk', sort: 'sk' }, gs1: { hash: 'gs1pk', sort: 'gs1sk', project: 'all' } },
    models: {
      Account: { pk: key(`account#\${id}`), sk: key('account#'), id, name: id },
      User: {
        ...{ pk: key(`account#\${accountId}`), sk: key(`user#\${email}`) },
        ...{ gs1pk: key(`user#\${id}`), gs1sk: key('user#') },
        ...{ id, accountId: id, accountName: id, email: id, nick: id },
      },
      Comment: {
        ...{ pk: key(`comment#\${id}`), sk: key('comment#'), id, userId: id, userNick: id, text: id },
      },
    },
    params: { timestamps: true },
  } as const;
  const table = new Table({ name, client, schema, partial: true });
  const [accounts, users, comments] = [
    table.getModel('Account'),
    table.getModel('User'),
    table.getModel('Comment'),
  ];
  for (const [at, nick] of people.entries()) {
    const [account, user] = [`a${at}`, `u${at}`];
    await accounts.create({ id: account, name: `Account ${nick}` });
    await users.create({
      ...{ id: user, accountId: account, accountName: `Account ${nick}` },
      ...{ email: `${nick}@example.com`, nick },
    });
    for (const n of [1, 2])
      await comments.create({ id: `c${at}${n}`, userId: user, userNick: nick, text: `text ${at} ${n}` });
  }
  const { kinds, rules } = await pulled();

  expect(kinds).toContain("pk: 'account#{account}',\n  sk: 'user#{user}',");
  expect(kinds).toContain("pk: 'comment#{comment}',\n  sk: 'comment#',");
  expect(kinds).toContain("gs1: { pk: 'user#{id}', sk: 'user#' },");
  expect(rulesIn(rules)).toEqual([
    "name: 'account-on-user', root: account, copy: user, located: { in: 'partition', at: ({ ids }) => ({ pk: user.pk({ account: ids.account }), begins: 'user#' }) }, rootOf: ({ ids }) => account.key({ account: ids.account }), copies: { name: 'accountName' }, onDelete: 'keep', onExpire: 'keep',",
  ]);
  expect(rules).toContain(
    '// Comment.userId is id of User, which is not in the key of User: no rule can name User by it.',
  );
});

test('pull finds what dynamodb-toolbox wrote', async () => {
  const { item, list, number, prefix, string, PutItemCommand } = toolbox;
  const { tableName, documents, idle, pulled } = await openedTable('toolbox');
  const table = new toolbox.Table({
    ...{ name: tableName, documentClient: documents },
    ...{ partitionKey: { name: 'id', type: 'string' }, sortKey: { name: 'number', type: 'number' } },
    indexes: { 'by-speaker': { type: 'global', partitionKey: { name: 'speaker', type: 'string' } } },
  });
  const keyOf = (kind: string) => string().key().transform(prefix(kind));
  const persons = new toolbox.Entity({
    ...{ name: 'Person', table },
    schema: item({ id: keyOf('PERSON'), number: number().key().default(0), name: string() }),
  });
  const talks = new toolbox.Entity({
    ...{ name: 'Talk', table },
    schema: item({
      ...{ id: keyOf('EVENT'), number: number().key(), guests: list(string()) },
      ...{ speaker: string().transform(prefix('PERSON')), speakerName: string().optional() },
    }),
  });
  for (const [at, name] of people.entries()) {
    await persons
      .build(PutItemCommand)
      .item({ id: name.toLowerCase(), name: `Name ${name}` })
      .send();
    for (const n of [1, 2])
      await talks
        .build(PutItemCommand)
        .item({
          id: `e${n}`,
          number: at + 1,
          speaker: name.toLowerCase(),
          speakerName: `Name ${name}`,
          guests: ['x', 'y'],
        })
        .send();
  }
  await idle();
  const { kinds, rules } = await pulled();

  expect(kinds).toContain("pk: 'EVENT#{event}',\n  sk: '{number:number}',");
  expect(kinds).toContain("pk: 'PERSON#{person}',\n  sk: '0',");
  expect(rulesIn(rules)).toEqual([
    "name: 'person-on-talk', root: person, copy: talk, reads: { copy: ['speaker'] }, located: { in: 'index', index: table.indexes.bySpeaker, at: ({ ids }) => ({ pk: person.pk(ids) }) }, rootOf: ({ speaker }) => ({ pk: speaker, sk: '0' }), copies: { name: 'speakerName' }, onDelete: 'keep', onExpire: 'keep',",
  ]);
  expect(rules).toContain(
    '// Talk → Visit? speakerName equal in 16 of 16, 4 values: nothing finds the copies.',
  );
});
