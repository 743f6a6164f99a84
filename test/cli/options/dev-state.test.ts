import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

const state = (table: string, dbPath?: string, at = endpoint) =>
  devStateOf({}, { table, dbPath, endpoint: at });
const served = (tableName: string, at = endpoint) => stateServedAt({}, { endpoint: at, tableName });

test('each table, database and endpoint of denorm dev has a folder of its own', async () => {
  const folders = [
    await state('app'),
    await state('app', 'rehearsal.db'),
    await state('app', undefined, 'http://127.0.0.1:8001'),
    await state('other', 'rehearsal.db'),
  ];

  expect(new Set(folders).size).toBe(4);
  expect(await state('app', 'rehearsal.db')).toBe(folders[1]);
  for (const one of folders) expect(existsSync(one)).toBe(true);
});

test('commands find the state of the table that was served there last', async () => {
  expect(await served('app')).toBeUndefined();
  const own = await state('app');
  const rehearsal = await state('app', 'rehearsal.db');
  const other = await state('other');
  const servedLast = (path: string, at: number) => utimesSync(join(path, 'table.json'), at, at);

  servedLast(own, 1_000);
  servedLast(rehearsal, 2_000);
  expect(await served('app')).toBe(rehearsal);
  expect(await served('other', 'http://localhost:8000')).toBe(other);
  servedLast(own, 3_000);
  expect(await served('app')).toBe(own);
  expect(await served('app', 'http://127.0.0.1:8001')).toBeUndefined();
  expect(await stateServedAt({ stateDir: 'named' }, { endpoint, tableName: 'app' })).toBe('named');
});

test('a folder is that of one table', async () => {
  const stateDir = join(folder, 'own');
  const of = (table: string, dbPath?: string) => devStateOf({ stateDir }, { table, dbPath, endpoint });
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
