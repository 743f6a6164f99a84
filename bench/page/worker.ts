import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/develop/dev/table/free-port.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** As the kernel counts a process's time, in ticks a second: USER_HZ, the same on every Linux. */
const ticks = 100;

/** `denorm dev` in a process of its own. */
export interface Worker {
  readonly endpoint: string;
  readonly page: string;
  /** Milliseconds of each propagation of a change, as its lines say; emptied by who measures. */
  readonly lags: number[];
  /** Its processor time so far, in seconds, without that of the embedded table. */
  used(): Promise<{ readonly user: number; readonly system: number }>;
  stop(): Promise<void>;
}

/** Starts it with the options that `bin/denorm.mjs` gives to Node. */
export async function startWorker(cwd: string): Promise<Worker> {
  const options = ['--conditions=stream-denormalizer-source', '--max-semi-space-size=4'];
  const config = fileURLToPath(new URL('../../test/application/denorm.config.ts', import.meta.url));
  const port = await freePort();
  const args = ['--config', config, 'dev', '--no-check', '--port', String(port)];
  const child = spawn(process.execPath, [...options, main, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const lags: number[] = [];
  const page = await new Promise<string>((resolve, reject) => {
    void exited.then(() => reject(new Error('Expected denorm dev to serve a page, but it ended')));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, url] = /^page (\S+)$/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
      const [, milliseconds] = / changed {2}.* (\d+) ms$/.exec(line) ?? [];
      if (milliseconds !== undefined) lags.push(Number(milliseconds));
    });
  });
  return {
    ...{ endpoint: `http://127.0.0.1:${port}`, page, lags },
    async used() {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      // The name, in parentheses, may hold spaces. Source: proc(5), fields 14 and 15.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return { user: Number(fields[11]) / ticks, system: Number(fields[12]) / ticks };
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
