import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectFolder, pythonTool, toolEnvironment } from '../../scripts/python-tools.ts';
import { freePort } from '../../src/dev/local-server.ts';

/**
 * The emulator of AWS, on a free port of the loopback interface. It enforces IAM, the policies of queues and buckets
 * among it, which refuse what does not come by TLS: so it speaks TLS.
 */
export interface MiniStack {
  readonly endpoint: string;
  /** File with the certificate that it made for itself. */
  readonly certificate: string;
  stop(): Promise<void>;
}

/** What it, and the functions in it, said in the last run. */
export const log = join(projectFolder, '.aws-sam', 'ministack.log');

/** Starts it, and returns when it answers. */
export async function startMiniStack(): Promise<MiniStack> {
  // Outside of the project, whose package.json would make ES modules of the scripts that it starts functions by.
  const folder = mkdtempSync(join(tmpdir(), 'denorm-ministack-'));
  mkdirSync(dirname(log), { recursive: true });
  const port = await freePort();
  const endpoint = `https://127.0.0.1:${port}`;
  const certificate = join(folder, 'ministack-tls', 'server.crt');
  const output = openSync(log, 'w');
  const child = spawn(pythonTool('ministack', 'ministack'), [], {
    cwd: folder,
    env: toolEnvironment({
      ...{ AUTH: 'true', USE_SSL: '1', BIND_HOST: '127.0.0.1', GATEWAY_PORT: String(port), TMPDIR: folder },
      // What the functions inherit from here they would not find deployed.
      ...{ NODE_OPTIONS: '', AWS_ENDPOINT_URL: undefined, NODE_EXTRA_CA_CERTS: certificate },
    }),
    stdio: ['ignore', output, output],
  });
  const ended = once(child, 'exit');
  const end = performance.now() + 60_000;
  while (!(await answers(endpoint, certificate))) {
    if (child.exitCode !== null || performance.now() > end) {
      child.kill('SIGKILL');
      throw new Error(`Expected MiniStack to answer at ${endpoint} within 60 s, and it did not: see ${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    endpoint,
    certificate,
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(late);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(endpoint: string, certificate: string): Promise<boolean> {
  if (!existsSync(certificate)) return false;
  return new Promise((resolve) => {
    get(`${endpoint}/_ministack/health`, { ca: readFileSync(certificate) }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}
