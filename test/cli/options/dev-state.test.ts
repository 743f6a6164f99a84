import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { devStateOf, refuseStateOfAnother, stateServedAt } from '../../../src/cli/options/state.ts';
import { nameProject } from '../../../src/cli/project.ts';
import { newFolder } from '../../suites/new-folder.ts';

const endpoint = 'http://127.0.0.1:8000';
let folder: string;

beforeEach(() => {
  folder = newFolder();
  const config = join(folder, 'denorm.config.ts');
  writeFileSync(config, 'export default { table: { pk: "PK", sk: "SK", indexes: {} }, registry() {} };');
  nameProject(config);
});

afterEach(() => nameProject(undefined));

async function serve(table: string, dbPath?: string, at = endpoint, stateDir?: string): Promise<string> {
  const state = await devStateOf({ ...(stateDir && { stateDir }) }, { table, dbPath, endpoint: at });
  await state.serve();
  return state.folder;
}

const served = (tableName: string, at = endpoint) => stateServedAt({}, { endpoint: at, tableName });

test('each table, database and endpoint of denorm dev has a folder of its own', async () => {
  const folders = [
    await serve('app'),
    await serve('app', 'rehearsal.db'),
    await serve('app', undefined, 'http://127.0.0.1:8001'),
    await serve('other', 'rehearsal.db'),
  ];

  expect(new Set(folders).size).toBe(4);
  expect(await serve('app', 'rehearsal.db')).toBe(folders[1]);
  for (const one of folders) expect(existsSync(one)).toBe(true);
});

test('commands find the state of the table that was served there last', async () => {
  expect(await served('app')).toBeUndefined();
  const own = await serve('app');
  const other = await serve('other');
  const rehearsal = await serve('app', 'rehearsal.db');

  expect(await served('app')).toBe(rehearsal);
  expect(await served('other', 'http://localhost:8000')).toBe(other);
  expect(await serve('app')).toBe(own);
  expect(await served('app')).toBe(own);
  expect(await served('app', 'http://127.0.0.1:8001')).toBeUndefined();
  expect(await stateServedAt({ stateDir: 'named' }, { endpoint, tableName: 'app' })).toBe('named');
});

test('a table that is served with another --state-dir is not taken for the one before', async () => {
  const before = await serve('app');
  const own = await serve('app', 'rehearsal.db', endpoint, join(folder, 'own'));

  expect(await served('app')).toBeUndefined();
  expect(() => refuseStateOfAnother(own, { endpoint, tableName: 'app' })).not.toThrow();
  expect(() => refuseStateOfAnother(before, { endpoint, tableName: 'app' })).toThrow(
    /got those of app at no endpoint any more in/,
  );
});

test('until the table is served, nothing is written, and what was served before is found', async () => {
  const stateDir = join(folder, 'new', 'own');
  await devStateOf({ stateDir }, { table: 'app', dbPath: undefined, endpoint });
  expect(existsSync(join(folder, 'new'))).toBe(false);

  const own = await serve('app');
  await devStateOf({}, { table: 'app', dbPath: 'rehearsal.db', endpoint });
  expect(await served('app')).toBe(own);
  expect(readdirSync(join(folder, '.denorm'))).toEqual([basename(own)]);
});

test('a folder is that of one table', async () => {
  const stateDir = join(folder, 'own');
  const of = (table: string, dbPath?: string) => serve(table, dbPath, endpoint, stateDir);
  expect(await of('app')).toBe(stateDir);
  expect(await of('app')).toBe(stateDir);

  await expect(of('other')).rejects.toMatchObject({ code: 'usage.state-dir' });
  await expect(of('app', 'rehearsal.db')).rejects.toThrow(
    /that of the table app in \S+rehearsal\.db, got '\S+own' of the table app in http:/,
  );
  expect(() => refuseStateOfAnother(stateDir, { endpoint, tableName: 'app' })).not.toThrow();
  expect(() => refuseStateOfAnother(stateDir, { endpoint, tableName: 'other' })).toThrow(
    /Expected failures of the table other at \S+, got those of app at/,
  );
});
