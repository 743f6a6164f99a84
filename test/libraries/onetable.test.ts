import { Table } from 'dynamodb-onetable';
import { expect, test } from 'vitest';
import { openedTable } from './opened-table.ts';

const text = { type: String } as const;
const id = { type: String, required: true } as const;
const born = new Date('1815-12-10');

/** A key, or a template of one. */
const key = (value: string) => ({ type: String, value }) as const;

const schema = {
  ...{ format: 'onetable:1.1.0', version: '0.0.1' },
  indexes: { primary: { hash: 'pk', sort: 'sk' }, gs1: { hash: 'gs1pk', sort: 'gs1sk', project: 'all' } },
  models: {
    User: { pk: key(`user#\${id}`), sk: key('user#'), id, name: text, born: { type: Date } },
    Team: { pk: key(`team#\${id}`), sk: key('team#'), id, name: text },
    Member: {
      ...{ pk: key(`team#\${teamId}`), sk: key(`member#\${id}`) },
      ...{ gs1pk: key(`user#\${id}`), gs1sk: key(`member#\${teamId}`) },
      ...{ id, teamId: id, teamName: text, name: text, born: { type: Date } },
    },
  },
  params: { timestamps: true },
} as const;

test('OneTable reads the copies that follow its user and its team', async () => {
  const { tableName: name, client, idle, verified } = await openedTable('onetable');
  const table = new Table({ name, client, schema, partial: true });
  const [users, teams, members] = [table.getModel('User'), table.getModel('Team'), table.getModel('Member')];
  for (const teamId of ['x', 'y']) await members.create({ id: 'ada', teamId });
  const before = await members.get({ id: 'ada', teamId: 'x' });
  await users.create({ id: 'ada', name: 'Ada', born });
  await teams.create({ id: 'x', name: 'Engines' });
  await teams.create({ id: 'y', name: 'Cards' });
  await idle();

  expect(await members.get({ id: 'ada', teamId: 'x' })).toEqual({
    ...before,
    name: 'Ada',
    born,
    teamName: 'Engines',
  });

  await users.update({ id: 'ada', name: 'Ada Lovelace' });
  await teams.update({ id: 'x', name: 'Notes' });
  await idle();

  expect(await members.find({ id: 'ada' }, { index: 'gs1' })).toMatchObject([
    { teamId: 'x', name: 'Ada Lovelace', born, teamName: 'Notes' },
    { teamId: 'y', name: 'Ada Lovelace', born, teamName: 'Cards' },
  ]);
  expect(await verified()).toMatchObject({ items: 5, drift: 0 });

  await users.remove({ id: 'ada' });
  await idle();
  expect(await members.scan()).toEqual([]);
});
