import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { projectFolder, toolEnvironment } from '../../scripts/python-tools.ts';
import { freePort } from '../../src/dev/local-server.ts';
import { until } from './until.ts';

const docs = readFileSync(join(projectFolder, 'docs/deploy.md'), 'utf8');

test('the stack works on an emulator that is started as the documentation says', async () => {
  const [, first = '', then = ''] =
    /## Deploy to an emulator[\s\S]*?```sh\n([^`]*)```[^`]*```sh\n([^`]*)```/.exec(docs) ?? [];
  const [, start = ''] = first.split('\n');
  const port = String(await freePort());
  const shell = (script: string) =>
    spawn('bash', ['-c', script.replaceAll('4566', port)], {
      cwd: projectFolder,
      env: toolEnvironment({ DENORM_CONFIG: undefined, NODE_OPTIONS: undefined }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const emulator = shell(`exec env ${start}`);
  onTestFinished(() => void emulator.kill('SIGINT'));
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/_ministack/health`)).ok;
  await until('the emulator', () => isReady().catch(() => false), 60_000);
  const child = shell(`set -e\n${then}`);
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, 'exit');

  const [said, complaints] = [await stdout, await stderr];
  const failures = said.split('\n').filter((line) => /^failed\b/.test(line));
  expect(code, [...failures, complaints.slice(-1500)].join('\n')).toBe(0);
  expect(said).toMatch(/\d+ proven, 0 failed/);
});
