import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LocalError } from '../errors.ts';
import { freePort } from '../table/free-port.ts';
import { pythonTool } from './python-tool.ts';

/** MiniStack, an in-memory emulator of S3 and SQS, on loopback. It answers every website: src/develop/dev/table/guard.ts. */
export interface MiniStack {
  readonly endpoint: string;
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Maximum time until MiniStack answers, in milliseconds. It usually takes 2 to 5 seconds. */
const deadline = 60_000;

/**
 * Starts MiniStack on a free port, and waits until it answers. It never outlives this process.
 * @param host an address of this machine
 * @throws LocalError `sam.no-ministack` if it is not installed, `server.not-started` if it does not answer
 */
export async function startMiniStack(host = '127.0.0.1'): Promise<MiniStack> {
  const program = pythonTool('ministack', 'hypercorn');
  if (!existsSync(program))
    throw new LocalError(
      'sam.no-ministack',
      'Expected MiniStack, the emulator of queue and bucket, in .venv-sam, which is not there: run `npx denorm setup-sam`.',
    );
  const port = await freePort(host);
  const endpoint = `http://${host}:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'denorm-ministack-'));
  const watchdog = fileURLToPath(new URL('../table/server-watchdog.mjs', import.meta.url));
  const child = spawn(
    process.execPath,
    [
      '--no-warnings',
      watchdog,
      folder,
      program,
      'ministack.app:app',
      '--workers',
      '0',
      '--bind',
      `${host}:${port}`,
    ],
    { cwd: folder, stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-2_000);
  });
  child.stdin.on('error', () => {});
  const ended = once(child, 'exit');
  const stop = async () => {
    child.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const end = performance.now() + deadline;
  while (!(await isHealthy(endpoint))) {
    if (child.exitCode === null && performance.now() < end) {
      await delay(100);
      continue;
    }
    await stop();
    const last = said.trim().split('\n').at(-1) ?? '';
    throw new LocalError(
      'server.not-started',
      `Expected MiniStack to answer at ${endpoint}, and it did not (${last}): run \`npx denorm setup-sam\` again.`,
    );
  }
  return { endpoint, ended, stop };
}

function isHealthy(endpoint: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${endpoint}/_ministack/health`, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}
