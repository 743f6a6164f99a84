import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandGroups } from '../../src/cli/commands.ts';
import { deadLetterFolder } from '../../src/develop/dev/queue/dead-letter-folder.ts';
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

test.each([['explain'], ['backfill'], ['archive'], ['archive', 'restore'], ['help'], ['none']])(
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

test('a missing option is refused with 2', async () => {
  expect(await run(['backfill'], newFolder())).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: "error: required option '--rule <name>' not specified\n(--help lists the options)\n",
  });
});

test('state is found beside the config, from any folder of the project', async () => {
  const project = projectCopy();
  const below = join(project, 'src', 'rules');
  mkdirSync(below, { recursive: true });
  await deadLetterFolder(join(project, '.denorm')).deadLetter([]);
  const unnamed = { DENORM_CONFIG: '', AWS_ENDPOINT_URL: undefined };

  expect(await run(['dlq', 'list'], below, unnamed)).toMatchObject({
    code: 0,
    stdout: 'No failures in ../../.denorm/dead-letters and ../../.denorm/on-failure\n',
  });
  expect((await run(['dlq', 'list', '--state-dir', 'own'], below, unnamed)).stdout).toBe(
    'No failures in own/dead-letters and own/on-failure\n',
  );
  expect(existsSync(join(below, '.denorm'))).toBe(false);
});
