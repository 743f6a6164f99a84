import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder, pythonTool, toolEnvironment } from '../../scripts/python-tools.ts';
import { freePort } from '../../src/local/free-port.ts';

/** The emulator of AWS, on a free port of the loopback interface, with IAM enforced. */
export interface MiniStack {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Where it writes what it says: one file, the last run's. */
const log = join(projectFolder, '.aws-sam', 'ministack.log');

/** Starts it, and returns when it answers. */
export async function startMiniStack(): Promise<MiniStack> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const output = openSync(log, 'w');
  const child = spawn(pythonTool('ministack', 'ministack'), [], {
    cwd: join(projectFolder, '.aws-sam'),
    env: toolEnvironment({ AUTH: 'true', BIND_HOST: '127.0.0.1', GATEWAY_PORT: String(port) }),
    stdio: ['ignore', output, output],
  });
  const ended = once(child, 'exit');
  const end = performance.now() + 60_000;
  while (!(await answers(endpoint))) {
    if (child.exitCode !== null || performance.now() > end) {
      child.kill('SIGKILL');
      throw new Error(`Expected MiniStack to answer at ${endpoint} within 60 s, and it did not: see ${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    endpoint,
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(late);
    },
  };
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(`${endpoint}/_ministack/health`)).ok;
  } catch {
    return false;
  }
}
