import * as toolbox from 'dynamodb-toolbox';
import { expect, test } from 'vitest';
import { openedTable } from './opened-table.ts';

const {
  item,
  list,
  number,
  prefix,
  string,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  QueryCommand,
} = toolbox;

test('dynamodb-toolbox reads the copies that follow its speaker, and those that the worker creates', async () => {
  const { tableName, documents, idle, verified } = await openedTable('toolbox');
  const table = new toolbox.Table({
    ...{ name: tableName, documentClient: documents },
    ...{ partitionKey: { name: 'id', type: 'string' }, sortKey: { name: 'number', type: 'number' } },
    indexes: { 'by-speaker': { type: 'global', partitionKey: { name: 'speaker', type: 'string' } } },
  });
  const keyOf = (kind: string) => string().key().transform(prefix(kind));
  const people = new toolbox.Entity({
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
  const visits = new toolbox.Entity({
    ...{ name: 'Visit', table },
    schema: item({ id: keyOf('GUEST'), number: number().key(), speakerName: string().optional() }),
  });
  const ofAda = { index: 'by-speaker', partition: 'PERSON#ada' } as const;
  const talksOfAda = async () =>
    (await table.build(QueryCommand).entities(talks).query(ofAda).send()).Items ?? [];
  const visitsOf = async (guest: string) => {
    const query = { partition: `GUEST#${guest}#e`, range: { gte: 1 } } as const;
    const { Items = [] } = await table.build(QueryCommand).entities(visits).query(query).send();
    return Items.map((visit) => [visit.number, visit.speakerName]);
  };
  const talk = { id: 'e', speaker: 'ada' };
  await talks
    .build(PutItemCommand)
    .item({ ...talk, number: 1, guests: ['bob', 'cy'] })
    .send();
  await talks
    .build(PutItemCommand)
    .item({ ...talk, number: 2.5, guests: ['bob'] })
    .send();
  const before = await talksOfAda();
  await people.build(PutItemCommand).item({ id: 'ada', name: 'Ada' }).send();
  await idle();

  expect(await talksOfAda()).toEqual(before.map((one) => ({ ...one, speakerName: 'Ada' })));
  expect(await visitsOf('bob')).toEqual([
    [1, 'Ada'],
    [2.5, 'Ada'],
  ]);

  await people.build(UpdateItemCommand).item({ id: 'ada', name: 'Ada Lovelace' }).send();
  await talks
    .build(UpdateItemCommand)
    .item({ id: 'e', number: 2.5, guests: ['cy'] })
    .send();
  await idle();

  expect((await talksOfAda()).map((one) => one.speakerName)).toEqual(['Ada Lovelace', 'Ada Lovelace']);
  expect(await visitsOf('bob')).toEqual([[1, 'Ada Lovelace']]);
  expect(await visitsOf('cy')).toEqual([
    [1, 'Ada Lovelace'],
    [2.5, 'Ada Lovelace'],
  ]);
  expect(await verified()).toMatchObject({ items: 6, drift: 0 });
});

test('an update of dynamodb-toolbox makes a key of updateLink again, but none of link', async () => {
  const { tableName, documents } = await openedTable('toolbox');
  const base = item({ id: string().key(), number: number().key(), name: string() });
  const keyOf = ({ name }: { readonly name?: unknown }) => `NAME#${name}`;
  const key = string().optional();
  const people = new toolbox.Entity({
    name: 'Person',
    table: new toolbox.Table({
      ...{ name: tableName, documentClient: documents },
      ...{ partitionKey: { name: 'id', type: 'string' }, sortKey: { name: 'number', type: 'number' } },
    }),
    computeKey: (key) => key,
    schema: base.and({
      linked: key.link<typeof base>(keyOf),
      relinked: key.putLink<typeof base>(keyOf).updateLink<typeof base>(keyOf),
    }),
  });
  await people.build(PutItemCommand).item({ id: 'PERSON#ada', number: 0, name: 'Ada' }).send();

  await people.build(UpdateItemCommand).item({ id: 'PERSON#ada', number: 0, name: 'Bea' }).send();

  const { Item } = await people.build(GetItemCommand).key({ id: 'PERSON#ada', number: 0 }).send();
  expect(Item).toMatchObject({ name: 'Bea', linked: 'NAME#Ada', relinked: 'NAME#Bea' });
});
