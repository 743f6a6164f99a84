import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { projectFolder } from '../../scripts/python-tools.ts';
import { freePort } from '../../src/develop/dev/table/free-port.ts';
import { start, until } from '../cli/denorm.ts';

const docs = readFileSync(join(projectFolder, 'docs/deploy.md'), 'utf8');

test('the emulator is started as the documentation says, and the stack that is deployed there works', async () => {
  const [, first, then] =
    /## Deploy to an emulator[^#]*?```sh\n([^`]*)```[^`]*```sh\n([^`]*)```/.exec(docs) ?? [];
  const [, words = ''] = /^npx denorm (emulator [^#\n]*?) *#.*$/m.exec(first ?? '') ?? [];
  const port = String(await freePort());
  const emulator = start(words.replace('4566', port).split(' '), projectFolder);
  await until(() => emulator.stdout().includes('AWS_DEFAULT_REGION'), 'the lines to paste');
  const exports = emulator.stdout().match(/^ {2}export .*$/gm) ?? [];
  const script = ['set -e', ...exports, then].join('\n');
  const child = spawn('bash', ['-c', script], {
    cwd: projectFolder,
    env: { ...process.env, DENORM_CONFIG: undefined, NODE_OPTIONS: undefined, SAM_CLI_TELEMETRY: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, 'exit');
  emulator.process.kill('SIGINT');

  expect(exports).toHaveLength(2);
  const [said, complaints] = [await stdout, await stderr];
  const failures = said.split('\n').filter((line) => /^failed\b/.test(line));
  expect(code, [...failures, complaints.slice(-1500)].join('\n')).toBe(0);
  expect(said).toMatch(/\d+ proven, 0 failed/);
  expect(await emulator.exited).toBe(0);
});
