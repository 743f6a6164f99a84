import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonTool, toolEnvironment } from '../../../scripts/python-tools.ts';
import { freePort } from '../../../src/develop/dev/table/free-port.ts';

/** How long it may take to answer, in milliseconds. */
const maxStart = 60_000;

/**
 * MiniStack on a free port of the loopback interface. `npm run setup:sam` installs it.
 * @param environment settings of its own: with `AUTH` it enforces IAM
 */
export async function startMiniStack(
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'fidelity-ministack-'));
  const child = spawn(pythonTool('ministack', 'ministack'), [], {
    cwd: folder,
    env: toolEnvironment({
      ...environment,
      ...{ BIND_HOST: '127.0.0.1', GATEWAY_PORT: String(port), TMPDIR: folder },
    }),
    stdio: 'ignore',
  });
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]);
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    process.off('exit', kill);
    await rm(folder, { recursive: true, force: true });
  };
  let gone = false;
  ended.then(
    () => {
      gone = true;
    },
    () => {
      gone = true;
    },
  );
  for (const end = performance.now() + maxStart; !(await answers(endpoint)); ) {
    if (gone || performance.now() > end) {
      await stop();
      throw new Error(`Expected MiniStack to answer at ${endpoint}: install it with \`npm run setup:sam\``);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { endpoint, stop };
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(`${endpoint}/_ministack/health`)).ok;
  } catch {
    return false;
  }
}
