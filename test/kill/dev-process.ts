import { execFileSync, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/develop/dev/table/free-port.ts';

const launcher = fileURLToPath(new URL('../../bin/denorm.mjs', import.meta.url));
const ownConfig = fileURLToPath(new URL('../../denorm.config.ts', import.meta.url));

/** How long the ready line may take, in milliseconds. The machine may have other things to do. */
const maxStart = 60_000;

/** `denorm dev` on a file, as a user starts it: the launcher, the worker, a watchdog and the embedded server. */
export interface DevProcess {
  readonly endpoint: string;
  /** Resolves when it says that it is ready; rejects where it ends before. */
  readonly ready: Promise<void>;
  /** What it has said so far. */
  output(): string;
  /** Ends all of its processes at once, without a chance to put anything in order. Returns when they are gone. */
  kill(): Promise<void>;
}

export async function startDev(folder: string): Promise<DevProcess> {
  const port = await freePort();
  const args = ['dev', '--no-page', '--port', String(port), '--db-path', 'data.db', '--state-dir', 'state'];
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: folder,
    env: { ...process.env, DENORM_CONFIG: ownConfig },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  const ready = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`No ready line in ${maxStart} ms: ${said}`)), maxStart);
    const listen = (chunk: unknown): void => {
      said += String(chunk);
      if (!said.includes(`ready http://127.0.0.1:${port} `)) return;
      clearTimeout(late);
      resolve();
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('close', () => {
      clearTimeout(late);
      reject(new Error(`denorm dev ended: ${said}`));
    });
  });
  ready.catch(() => {});
  const gone = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    ready,
    output: () => said,
    async kill() {
      const all = [...groupsOn(port), ...(child.pid === undefined ? [] : [child.pid])];
      killGroups(all);
      await gone;
      // A server that was just being started when the processes were listed.
      for (let left = groupsOn(port); left.length > 0; left = groupsOn(port)) killGroups(left);
    },
  };
}

/** The process groups of the watchdog and the server on this port, which stand apart from the launcher's. */
function groupsOn(port: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pgid,args'], { encoding: 'utf8' }).split('\n');
  const ours = lines.filter((line) => line.includes(`--port ${port} `) && line.includes('dynoxide'));
  return [...new Set(ours.map((line) => Number(line.trim().split(' ')[0])))];
}

function killGroups(groups: readonly number[]): void {
  for (const group of groups)
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // Gone already.
    }
}
