import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { projectFolder } from '../../scripts/python-tools.ts';
import { freePort } from '../../src/develop/dev/table/free-port.ts';

const docs = readFileSync(join(projectFolder, 'docs/deploy.md'), 'utf8');

test('the emulator is started as the documentation says, and the stack that is deployed there works', async () => {
  const port = String(await freePort());
  const [, written = ''] = /## Deploy to an emulator[^#]*```sh\n([^`]*)```/.exec(docs) ?? [];
  expect(written).toContain('127.0.0.1:4566');
  const [before = '', end = ''] = written.replaceAll('4566', port).split(/^(?=kill)/m);
  const script = `set -e\n${before}npm run -s smoke -- --stack try --within 60\n${end}`;
  const child = spawn('bash', ['-c', script], {
    cwd: projectFolder,
    env: {
      ...process.env,
      ...{ GATEWAY_PORT: port, DENORM_CONFIG: undefined, NODE_OPTIONS: undefined, SAM_CLI_TELEMETRY: '0' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, 'exit');
  rmSync(join(projectFolder, 'ministack.log'), { force: true });

  expect(await stdout, await stderr).toMatch(/\d+ passed, 0 failed/);
  expect(code).toBe(0);
  expect(await stdout).toMatch(/^v2[4-9]\./m);
});
