import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { commandGroups } from '../../src/cli/commands.ts';
import { projectCopy } from '../fixtures/application/project-copy.ts';
import { newFolder } from '../suites/new-folder.ts';
import { run } from './denorm.ts';

test('the list has a line for each command, below the heading of its group', async () => {
  const { code, stdout } = await run(['--help'], newFolder());
  const [, ...groups] = stdout.split(/^(?=\w[\w ]+:\n)/m).filter((part) => !/^(Options|Exit)/.test(part));

  expect(code).toBe(0);
  expect(groups.map((group) => group.trimEnd().replace(/^ {2}(\S+).*$/gm, '$1'))).toEqual(
    Object.entries(commandGroups).map(([heading, commands]) =>
      [heading, ...Object.keys(commands), ...(heading === 'Start:' ? ['help'] : [])].join('\n'),
    ),
  );
});

test.each([['explain'], ['backfill'], ['archive'], ['archive', 'restore'], ['help'], ['dlq', 'list']])(
  'help is the same however it is asked for: %s %s',
  async (...words) => {
    const cwd = newFolder();
    const [named, long, short] = await Promise.all(
      [
        ['help', ...words],
        [...words, '--help'],
        [...words, '-h'],
      ].map((args) => run(args, cwd)),
    );

    expect(named).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Usage: denorm ') });
    expect(long).toEqual(named);
    expect(short).toEqual(named);
  },
);

test.each([['verfy'], ['dlq', 'lst'], ['archive', 'none']])(
  'an unknown command is refused with its near misses, with or without --help: %s %s',
  async (...words) => {
    const cwd = newFolder();
    const all = [words, [...words, '--help'], [...words, '-h'], ['help', ...words]];
    const ran = await Promise.all(all.map((args) => run(args, cwd)));

    const unknown = words.at(-1) ?? '';
    const near = { verfy: '(Did you mean verify?)\n', lst: '(Did you mean list?)\n' }[unknown] ?? '';
    for (const { code, stdout, stderr } of ran) {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe(`error: unknown command '${unknown}'\n${near}(--help lists the commands)\n`);
    }
  },
);

test('a missing option is refused with 2', async () => {
  expect(await run(['backfill'], newFolder())).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: "error: required option '--rule <name>' not specified\n(--help lists the options)\n",
  });
});

test.skipIf(!existsSync('/dev/full'))('output that cannot be written is said, and fails', async () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const command = spawn(process.execPath, ['bin/denorm.mjs', 'rules', '--json'], {
    stdio: ['ignore', full, 'pipe'],
  });
  const [said, [code]] = await Promise.all([
    text(command.stderr ?? Readable.from([])),
    once(command, 'exit'),
  ]);

  expect(said).toBe(
    'denorm: Expected standard output to take what is printed, but it refuses it (ENOSPC): output is missing\n',
  );
  expect(code).toBe(1);
});

test('state is found beside the config, from any folder of the project', async () => {
  const project = projectCopy();
  const below = join(project, 'src', 'rules');
  const state = join(project, '.denorm', 'app');
  for (const folder of [below, state, join(below, 'own', 'dead-letters')])
    mkdirSync(folder, { recursive: true });
  const endpoint = 'http://127.0.0.1:8000';
  writeFileSync(join(state, 'table.json'), JSON.stringify({ table: 'app', endpoint, database: endpoint }));
  const unnamed = { DENORM_CONFIG: '', AWS_ENDPOINT_URL: undefined };

  expect(await run(['dlq', 'list'], below, unnamed)).toMatchObject({
    code: 0,
    stdout: 'No failures in ../../.denorm/app/dead-letters and ../../.denorm/app/on-failure\n',
  });
  expect((await run(['dlq', 'list', '--state-dir', 'own'], below, unnamed)).stdout).toBe(
    'No failures in own/dead-letters and own/on-failure\n',
  );
  expect(existsSync(join(below, '.denorm'))).toBe(false);
});
