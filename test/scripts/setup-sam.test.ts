import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newFolder } from '../suites/new-folder.ts';

const script = fileURLToPath(new URL('../../scripts/setup-sam.ts', import.meta.url));

test('reports that there is no Python, and says which one to install', () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    env: { PATH: newFolder() },
  });
  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(
    /^denorm: sam\.no-python: Expected a Python from 3\.10 to 3\.13 .* install one .*\n$/,
  );
});

test('refuses a Python that is too old', () => {
  const folder = newFolder();
  // A program that answers as an old Python does.
  symlinkSync('/bin/echo', join(folder, 'python3'));
  const { status } = spawnSync(process.execPath, [script], { encoding: 'utf8', env: { PATH: folder } });
  expect(status).toBe(2);
});
