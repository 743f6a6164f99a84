import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether a container engine answers. */
export function engineAnswers(env: NodeJS.ProcessEnv = process.env): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 20_000, env }).status === 0;
}

/** Programs that an engine of one's own takes, and the packages of Debian that have them. */
const needed = [
  ['dockerd', 'docker.io'],
  ['busybox', 'busybox-static'],
  ['ip', 'iproute2'],
] as const;

function missing(): string[] {
  return needed.flatMap(([program, name]) =>
    spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0 ? [] : [name],
  );
}

/**
 * Whether an engine of one's own can be started: by root, on Linux, with what it takes installed.
 * @param install installs what is missing from Debian's packages, as a fresh machine of a CI may
 */
export function engineCanStart(install: boolean): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  if (spawnSync('unshare', ['--net', '--mount', 'true'], { stdio: 'ignore' }).status !== 0) return false;
  const packages = missing();
  if (packages.length === 0) return true;
  if (!install) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env });
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...packages);
  return missing().length === 0;
}

/** Thrown where the engine does not start, as in a container that may not start others. */
export class NoEngine extends Error {
  override readonly name = 'NoEngine';
}

/** A container engine with a folder and a socket of its own. */
export interface Engine {
  /** For DOCKER_HOST. */
  readonly host: string;
  stop(): Promise<void>;
}

/**
 * Starts dockerd with everything of its own: run it in a network namespace and a mount namespace of its own, and its
 * bridge, its ports and its mounts end with that.
 */
export async function startEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'denorm-engine-'));
  const host = `unix://${folder}/socket`;
  const output = openSync(join(folder, 'log'), 'w');
  const own = [
    '--data-root',
    join(folder, 'data'),
    '--exec-root',
    join(folder, 'exec'),
    '--pidfile',
    join(folder, 'pid'),
  ];
  // Containers reach this machine and nothing else.
  const closed = ['--iptables=false', '--ip6tables=false', '--ip-masq=false', '--ip', '127.0.0.1'];
  const daemon = spawn('dockerd', ['-H', host, ...own, ...closed], { stdio: ['ignore', output, output] });
  const ended = once(daemon, 'exit');
  const end = performance.now() + 60_000;
  while (!engineAnswers({ ...process.env, DOCKER_HOST: host })) {
    if (daemon.exitCode !== null || performance.now() > end) {
      daemon.kill('SIGKILL');
      await ended;
      const last = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n').at(-1) ?? '';
      rmSync(folder, { recursive: true, force: true });
      throw new NoEngine(`dockerd did not answer: ${last}`);
    }
    await delay(200);
  }
  return {
    host,
    async stop() {
      daemon.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
