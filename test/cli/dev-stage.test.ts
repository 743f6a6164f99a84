import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deadLetterFolder } from '../../src/dev/queue/dead-letter-folder.ts';
import { run } from './denorm.ts';
import { embeddedTables } from './embedded-tables.ts';
import { membership, membershipKey, user } from './items.ts';
import { stagedProject } from './staged-project.ts';

const { newTable, server } = embeddedTables();
const unnamed = { DENORM_CONFIG: '', AWS_ENDPOINT_URL: undefined };

/** A project with this stage `dev`, and a command in it. */
function project(stage: object) {
  const folder = stagedProject({ dev: stage });
  return { folder, denorm: (...args: string[]) => run(args, folder, unnamed) };
}

/** A project whose stage `dev` is a table with a root and a copy that has not followed it. */
async function devProject() {
  const { application, name } = await newTable([user, membership]);
  const opened = project({ endpoint: server().endpoint, table: name });
  const copied = async () => (await application.get(membershipKey))?.['username'] === user.username;
  return { ...opened, copied, application, name };
}

/** The folder that `denorm dev` has made for a table. */
function servedState(folder: string, endpoint: string, table: string): string {
  const state = join(folder, '.denorm', table);
  mkdirSync(join(state, 'archive'), { recursive: true });
  writeFileSync(join(state, 'table.json'), JSON.stringify({ table, endpoint, database: endpoint }));
  return state;
}

describe('the stage `dev`, if the config has one, is meant by', () => {
  test('dlq redrive', async () => {
    const { folder, denorm, copied, name } = await devProject();
    const root = { pk: user.PK, sk: user.SK };
    const message = { rule: 'username-on-memberships', root, cause: 'changed', attempts: 3 } as const;
    const deadLettered = { code: 'attempts.exceeded', reason: 'Expected an end', message };
    const state = servedState(folder, server().endpoint, name);
    await deadLetterFolder(state).deadLetter([deadLettered]);

    const elsewhere = await denorm('dlq', 'redrive', '--all', '--table', 'app-0', '--state-dir', state);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      2,
      expect.stringContaining(`Expected failures of the table app-0 at`),
    ]);
    expect((await denorm('dlq', 'list', '--table', 'app-0')).code).toBe(2);
    expect(await copied()).toBe(false);
    expect(await denorm('dlq', 'redrive', '--all')).toMatchObject({ code: 0, stderr: '' });
    expect(await copied()).toBe(true);
  });

  test('no command, if it is not on this machine', async () => {
    const { denorm } = project({ stack: 'shop-dev' });

    expect(await denorm('dlq', 'list')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'keeps what failed, got none of the table app at http://127.0.0.1:8000',
      ),
    });
  });
});

test('a command with --endpoint on this machine takes the table of denorm dev', async () => {
  const { name } = await newTable([user, membership]);
  const { denorm } = project({ endpoint: 'http://127.0.0.1:1', table: name });

  const { stdout, stderr } = await denorm('verify', '--endpoint', server().endpoint, '--grace', '0');

  expect(stderr).toBe('');
  expect(stdout).toContain('2 items read; found 1 (1 differs)');
});

test.each([
  ['dlq', 'list'],
  ['dlq', 'redrive', '--all'],
  ['archive', 'list'],
  ['archive', 'restore', '--all', '--table', 'app'],
])('%s %s refuses a --state-dir that is not there', async (...command) => {
  const { denorm } = project({});
  const { code, stdout, stderr } = await denorm(...command, '--state-dir', 'none');

  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain("got 'none', which does not exist");
});

test.each(['list', 'redrive'])('dlq %s refuses the folder that has those of tables', async (command) => {
  const { folder, denorm } = project({});
  const state = servedState(folder, 'http://127.0.0.1:8000', 'app');
  const all = command === 'list' ? [] : ['--all', '--endpoint', server().endpoint];

  const above = await denorm('dlq', command, ...all, '--state-dir', join(state, '..'));
  expect([above.code, above.stdout]).toEqual([2, '']);
  expect(above.stderr).toMatch(/got '.+\.denorm', which keeps nothing of one table: /);
  expect((await denorm('dlq', 'list', '--state-dir', state)).stdout).toMatch(/^No failures in /);
});

describe('the archive of denorm dev is that of a stage on this machine', () => {
  test.each([
    [['sweep', '--yes'], 'no finished items'],
    [['archive', 'list'], 'No such item in .denorm/app-'],
    [['archive', 'audit'], '0'],
    [['archive', 'restore', '--all'], 'No such item in .denorm/app-'],
  ])('%s', async (command, says) => {
    const { folder, denorm, name } = await devProject();
    const without = await denorm(...command, '--stage', 'dev');
    servedState(folder, server().endpoint, name);
    const { stdout, stderr } = await denorm(...command, '--stage', 'dev');

    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('Expected --bucket NAME') });
    expect(stdout + stderr).toContain(says);
    expect(stdout + stderr).not.toContain('usage.');
  });
});
