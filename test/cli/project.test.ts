import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectCopy } from '../application/project-copy.ts';
import { newFolder } from '../suites/new-folder.ts';
import { run } from './denorm.ts';

/** Nothing but the working folder names a project. */
const unnamed = { DENORM_CONFIG: '' };

describe('a command finds its project', () => {
  test('in the nearest folder above', async () => {
    const project = projectCopy();
    const below = join(project, 'rules', 'deep');
    mkdirSync(below);

    expect(await run(['rules', '--json'], below, unnamed)).toMatchObject({ code: 0, stderr: '' });
  });

  test('by --config', async () => {
    const config = join(projectCopy(), 'denorm.config.ts');

    expect(await run(['--config', config, 'rules'], newFolder(), unnamed)).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test('and writes keys with the names of its table', async () => {
    const project = projectCopy();
    const file = join(project, 'table.ts');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace("pk: 'PK'", "pk: 'hash'").replace("sk: 'SK'", "sk: 'range'"),
    );

    const { code, stderr } = await run(['explain', 'nonsense{', '--images'], project, unnamed);
    const key = await run(['explain', '{"PK":"USER#1","SK":"#METADATA"}', '--table', 't'], project, unnamed);

    expect({ code, stderr }).toMatchObject({ code: 2 });
    expect(key.stderr).toContain(`such as '{"hash":"AUTHOR#7","range":"PROFILE"}'`);
  });
});

describe('a command refuses in one sentence', () => {
  test('a folder without a project', async () => {
    const path = realpathSync(newFolder());

    expect(await run(['rules'], path, unnamed)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        `Expected a denorm.config.ts in ${path} or a folder above it, found none`,
      ),
    });
  });

  test('a config that does not exist', async () => {
    const { code, stderr } = await run(['--config', 'none.ts', 'rules'], newFolder(), unnamed);

    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/none\.ts, found no such file: check --config/),
    });
  });

  test('a config that exports something else', async () => {
    const project = projectCopy();
    writeFileSync(join(project, 'denorm.config.ts'), 'export default { table: {} };\n');

    const { code, stderr } = await run(['rules'], project, unnamed);

    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/to export what defineConfig returns as its default/),
    });
  });
});

describe('a stage of the config', () => {
  test('stands for the options that name a table', async () => {
    const project = projectCopy();
    const file = join(project, 'denorm.config.ts');
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace(
        '  table,\n',
        "  table,\n  stages: { dev: { endpoint: 'http://127.0.0.1:1', table: 'mine' } },\n",
      ),
    );
    const key = '{"PK":"USER#1","SK":"#METADATA"}';

    const named = await run(['explain', key, '--stage', 'dev'], project, unnamed);
    const unknown = await run(['explain', key, '--stage', 'prod'], project, unnamed);

    expect(named.stderr).toContain('127.0.0.1:1');
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("a stage of denorm.config.ts (dev), got 'prod'"),
    });
  });
});
