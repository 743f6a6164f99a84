import { chownSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectCopy } from '../fixtures/application/project-copy.ts';
import { newFolder } from '../suites/new-folder.ts';
import { run } from './denorm.ts';
import { stagedProject } from './staged-project.ts';

/** Nothing but the working folder names a project. */
const unnamed = { DENORM_CONFIG: '' };

describe('a command finds its project', () => {
  test('in the nearest folder above', async () => {
    const project = projectCopy();
    const below = join(project, 'rules', 'deep');
    mkdirSync(below);

    expect(await run(['rules', '--json'], below, unnamed)).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['before the command', (config: string) => ['--config', config, 'rules']],
    ['after the command', (config: string) => ['rules', '--config', config]],
    ['after its options', (config: string) => ['rules', '--json', '--config', config]],
  ])('by --config %s', async (_, args) => {
    const config = join(projectCopy(), 'denorm.config.ts');

    expect(await run(args(config), newFolder(), unnamed)).toMatchObject({ code: 0, stderr: '' });
  });

  test('only where it works for one', async () => {
    expect(await run(['init', 'app', '--config', 'x.ts'], newFolder(), unnamed)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("unknown option '--config'"),
    });
  });

  test('and writes keys with the names of its table', async () => {
    const project = projectCopy();
    const file = join(project, 'table.ts');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace("pk: 'PK'", "pk: 'hash'").replace("sk: 'SK'", "sk: 'range'"),
    );

    const { code, stderr } = await run(['explain', 'nonsense{'], project, unnamed);
    const key = await run(['explain', '{"PK":"USER#1","SK":"#METADATA"}', '--table', 't'], project, unnamed);

    expect({ code, stderr }).toMatchObject({ code: 2 });
    expect(key.stderr).toContain(`such as '{"hash":"AUTHOR#7","range":"PROFILE"}'`);
  });
});

describe('a command refuses in one sentence', () => {
  // Only root may give a file away.
  test.runIf(process.getuid?.() === 0)('to run the config of another user, unless it is named', async () => {
    const project = projectCopy();
    const config = join(project, 'denorm.config.ts');
    const below = join(project, 'rules');
    chownSync(config, 12_345, 12_345);

    for (const args of [['rules'], ['rules', '--help']])
      expect((await run(args, below, unnamed)).stdout).not.toContain('username-on-memberships');
    expect(await run(['rules'], below, unnamed)).toEqual({
      code: 2,
      stdout: '',
      stderr: `denorm: usage.project: Expected ${realpathSync(config)} to belong to you, found a file of another user: if you trust it, name it with --config\n`,
    });
    expect(await run(['rules', '--config', config], below, unnamed)).toMatchObject({ code: 0 });
    chownSync(below, 12_345, 12_345);
    expect(await run(['rules'], below, unnamed)).toMatchObject({ code: 0 });
  });

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
  test('that is not on this machine is never taken for denorm dev', async () => {
    const project = stagedProject({ prod: { table: 'prod-table', region: 'eu-west-1' } });
    const { code, stdout, stderr } = await run(['dlq', 'list', '--stage', 'prod'], project, {
      ...unnamed,
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    });

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^denorm: usage\.queue: Expected --stack NAME, --dead-letter-queue-url URL/);
  });

  test('is not mixed with another stack or table', async () => {
    const project = stagedProject({ prod: { stack: 'prod' } });
    const { code, stderr } = await run(['verify', '--stage', 'prod', '--stack', 'staging'], project, unnamed);

    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Expected --stage alone, got it with --stack'),
    });
  });

  test('stands for the options that name a table', async () => {
    const project = stagedProject({ dev: { endpoint: 'http://127.0.0.1:1', table: 'mine' } });
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
