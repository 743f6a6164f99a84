import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { makeExport } from '../../../scripts/make-export.ts';
import { freePort } from '../../../src/dev/local-server.ts';
import { table } from '../../../src/table.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { jsonLines, run, startDev, until } from '../denorm.ts';

const items = 3_000;
const rule = ['--rule', 'username-on-memberships', '--rcu', 'unlimited'];

test('denorm dev --import rehearses on an export: nothing is propagated, until something changes', async () => {
  const cwd = newFolder();
  makeExport(join(cwd, 'export'), items);
  const port = await freePort();
  const dev = await startDev(['--port', String(port), '--import', 'export', '--db-path', 'table.db'], cwd);
  const at = ['--endpoint', `http://127.0.0.1:${port}`];

  expect(dev.stderr()).toContain('denorm: imported 3,000 items as of 2026-11-20T03:00:00.000Z, in ');
  expect(await run(['verify', ...rule, ...at, '--grace', '0'], cwd)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('3,000 items read; found 150 ('),
  });
  const { stdout } = await run(['backfill', ...rule, ...at, '--dry-run'], cwd);
  expect(stdout).toContain(
    '3,000 items read; 600 propagations, 150 copies would be written, 2,250 already right; nothing left',
  );
  expect(stdout).toMatch(/^these units cost \$0\.000\d on demand in us-east-1, /m);
  const [summary] = jsonLines(await run(['backfill', ...rule, ...at, '--dry-run', '--json'], cwd)).slice(-1);
  expect(summary).toMatchObject({ summary: { written: 150, dollars: expect.closeTo(0.0004, 3) } });
  expect(dev.stdout()).toContain(`ready http://127.0.0.1:${port} table app\n`);

  const application = new ApplicationTable(`http://127.0.0.1:${port}`, 'app', table);
  onTestFinished(() => application.close());
  await application.put({ PK: 'USER#0', SK: '#METADATA', Type: 'User', userId: '0', username: 'Joan' });
  await until(
    async () => (await application.get({ pk: 'SERVER#1', sk: 'USER#0' }))?.username === 'Joan',
    'a copy follows its root',
  );
});

describe('denorm dev --import refuses in one sentence, with 2,', () => {
  test.each([
    [
      'a file that exists',
      ['--db-path', 'file'],
      /import\.refused: Expected .+ found \S+file, which exists: leave/,
    ],
    ['another DynamoDB', ['--endpoint', 'http://127.0.0.1:1'], /usage\.endpoint: Expected --endpoint alone/],
    ['a folder without an export', [], /import\.refused: Expected \. to be the folder of a finished export/],
    [
      'a file in no folder',
      ['--db-path', 'none/table.db', '--import', 'export'],
      /server\.db-path: Expected/,
    ],
  ])('%s', async (_, args, sentence) => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'file'), '');
    makeExport(join(cwd, 'export'), 10);
    const { code, stdout, stderr } = await run(['dev', '--no-page', '--import', '.', ...args], cwd);

    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
