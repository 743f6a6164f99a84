import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newFolder } from '../suites/new-folder.ts';

// It fails by itself if a command does not do what it should.
test('each command that is measured on a growing table does its work', async () => {
  const words = ['bench/scale/main.ts', '--items', '100', '--folder', join(newFolder(), 'tables')];

  const { stdout } = await promisify(execFile)(process.execPath, words, {
    env: { ...process.env, NODE_OPTIONS: '--conditions=stream-denormalizer-source' },
  });

  const measured = stdout.matchAll(/^\| 100 \| ([a-z ]+) \| \d+ \| \d+ \| \d+ \| \d+ \| \d+ \|$/gm);
  expect([...measured].map(([, command]) => command)).toEqual([
    'verify',
    'repair',
    'backfill',
    'sweep',
    'archive audit',
    'archive restore',
  ]);
}, 300_000);
