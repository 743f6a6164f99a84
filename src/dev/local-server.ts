import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LocalError } from './errors.ts';

/** A server program on loopback. It never outlives this process: a watchdog ends it when this process has ended, even by SIGKILL. */
export type LocalServer = Awaited<ReturnType<typeof startAt>>;

interface LocalServerOptions {
  /** For people. */
  readonly name: string;
  readonly program: string;
  readonly args: (host: string, port: number) => readonly string[];
  /** A folder for the server alone, in which it runs. It is removed when the server has ended, or could not be started. */
  readonly folder: string;
  /** The path of a request that the server answers once it is ready, with 200. Default: any answer to `/` will do. */
  readonly healthPath?: string;
  /** Default: that of this process. */
  readonly env?: (host: string, port: number) => NodeJS.ProcessEnv;
  /** How long the server may take to answer. */
  readonly deadlineMs: number;
}

/** No website finds it by trying ports: one of 16 million. Only 127.0.0.1 where the system has no other by default. */
export function hiddenAddress(platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'linux' && platform !== 'win32') return '127.0.0.1';
  return ['127', randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.');
}

/** Ports that are tried, if another process takes each before the server does. */
const maxPorts = 5;

/**
 * Waits until it answers.
 * @throws Error with the server's last words if it does not; then it has ended
 */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const host = hiddenAddress();
  for (let tried = 1; ; tried += 1)
    try {
      const server = await startAt(host, await freePort(host), options);
      server.failed.catch(() => rm(options.folder, { recursive: true, force: true }));
      return server;
    } catch (error) {
      if (tried < maxPorts && error instanceof Error && saysPortIsTaken(error.message)) continue;
      await rm(options.folder, { recursive: true, force: true });
      throw error;
    }
}

function saysPortIsTaken(lastWords: string): boolean {
  return /\b(already in use|EADDRINUSE)\b/.test(lastWords);
}

async function startAt(host: string, port: number, options: LocalServerOptions) {
  const { name, program, args, folder, healthPath, deadlineMs, env } = options;
  const endpoint = `http://${host}:${port}`;
  const watchdog = fileURLToPath(new URL('./server-watchdog.mjs', import.meta.url));
  // A process group of its own: Ctrl-C reaches only this process, so that work in flight can still use the server.
  const child = spawn(process.execPath, ['--no-warnings', watchdog, folder, program, ...args(host, port)], {
    cwd: folder,
    ...(env && { env: env(host, port) }),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let stderr = '';
  let lastWords: string | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-2_000);
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<string>((resolve) => {
    child.on('error', ({ message }) => resolve(message)).on('close', () => resolve(stderr.trim()));
  });
  const failed = ended.then((text): never => {
    lastWords = text;
    throw new LocalError('server.ended', `Expected ${name} to run, but it has ended by itself: start again`);
  });
  failed.catch(() => {});
  // The watchdog reports it before the server can listen. Such a short line arrives in one piece.
  const pid = new Promise<number>((resolve) => {
    child.stdout.once('data', (chunk) => resolve(Number.parseInt(String(chunk), 10)));
  });
  child.on('exit', (_, signal) => {
    if (signal !== null) pid.then(killOrphan);
  });
  /** Ends the server and waits until it has exited. May be called again. */
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  const end = performance.now() + deadlineMs;
  const isReady = async () => {
    const answer = await answerOf(`${endpoint}${healthPath ?? '/'}`).catch(() => undefined);
    return healthPath === undefined ? answer !== undefined : answer?.statusCode === 200;
  };
  while (!(await isReady())) {
    if (lastWords === undefined && performance.now() < end) {
      await setTimeout(20);
      continue;
    }
    const isLate = lastWords === undefined;
    await stop();
    throw new Error(isLate ? `no answer within ${deadlineMs} ms` : lastWords || 'it ended without a word');
  }
  return {
    /** `http://127.….….…:<port>`. It may answer every website: guard.ts is for others to use. */
    endpoint,
    pid: await pid,
    /** Rejects when the server has ended. */
    failed,
    stop,
  };
}

/** The status and headers that a server answers. Does not use fetch, which rejects some ports. */
export function answerOf(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, (response) => resolve(response.resume())).on('error', reject);
  });
}

/** Ends a server whose watchdog was killed. */
function killOrphan(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}

/** Finds a free port of an address of this machine. Another process may take it before it is used. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  const probe = createServer().listen(0, address);
  await once(probe, 'listening');
  const port = boundPort(probe);
  await once(probe.close(), 'close');
  return port;
}

export function boundPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
