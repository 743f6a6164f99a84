import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/setup-sam.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'denorm-path-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('the Python side says what is missing where there is no Python', () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    env: { PATH: folder },
  });
  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^Expected a Python from 3\.10 to 3\.13 .* install one .*\n$/);
});

it('the Python side takes no Python that is too old', () => {
  // A program that answers as an old Python does.
  symlinkSync('/bin/echo', join(folder, 'python3'));
  const { status } = spawnSync(process.execPath, [script], { encoding: 'utf8', env: { PATH: folder } });
  expect(status).toBe(2);
});
