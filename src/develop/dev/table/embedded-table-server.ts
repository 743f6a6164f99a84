import { type ChildProcess, spawn } from 'node:child_process';
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { LocalError, messageOf } from '../errors.ts';
import { temporaryDatabase } from './database-file.ts';
import { findEmbeddedBinary } from './embedded-binary.ts';
import { freePort } from './free-port.ts';
import { hiddenAddress } from './guard.ts';
import { indexStreamRecords, nodeSqlite } from './stream-record-indexes.ts';

export interface EmbeddedTableServerOptions {
  /** File for the tables, created if it is missing. Default: a temporary one, which ends with the server. */
  readonly dbPath?: string;
  /** Maximum time until the server answers, in milliseconds. Default: 10,000. It usually takes about 100. */
  readonly deadline?: number;
}

export interface EmbeddedTableServer {
  /** `http://127.….….…:<port>` */
  readonly endpoint: string;
  /** The server's process ID. */
  readonly pid: number;
  /** Resolves to the server's last output on stderr when it has ended, for any reason. */
  readonly ended: Promise<string>;
  /** Why writes will slow down as the stream grows. Undefined if they will not. */
  readonly slowsDown: string | undefined;
  /** Ends the server and waits until it has exited. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB on loopback and waits until it answers. It never outlives this process: a
 * watchdog process ends the server when this process has ended, even by SIGKILL.
 * @throws LocalError `server.no-binary`, `server.db-path` or `server.not-started`
 */
export async function startEmbeddedTableServer(
  options: EmbeddedTableServerOptions = {},
): Promise<EmbeddedTableServer> {
  const binary = findEmbeddedBinary();
  const host = hiddenAddress();
  const port = await freePort(host);
  const endpoint = `http://${host}:${port}`;
  const sqlite = await nodeSqlite();
  // Only a file can be indexed from outside. In memory, the server is at least as fast as it can be without.
  const temporary =
    options.dbPath === undefined && sqlite !== undefined ? await temporaryDatabase() : undefined;
  const file = options.dbPath ?? temporary?.path;
  const storage = file === undefined ? [] : ['--db-path', file];
  const watchdog = fileURLToPath(new URL('./server-watchdog.mjs', import.meta.url));
  // A process group of its own: Ctrl-C reaches only this process, so that work in flight can still use the table.
  const child = spawn(
    process.execPath,
    [
      ...['--no-warnings', watchdog, temporary?.folder ?? ''],
      ...[binary, 'serve', '--host', host, '--port', String(port), ...storage],
    ],
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  );
  const output = listen(child);
  const stop = async () => {
    child.stdin.end();
    await output.ended;
    await temporary?.remove();
  };
  child.stdin.on('error', () => {});
  child.on('exit', (_, signal) => {
    if (signal !== null) output.serverPid.then(killOrphan);
  });
  try {
    await answers(endpoint, output, options.deadline ?? 10_000);
  } catch (error) {
    await stop();
    throw startError(messageOf(error), endpoint, options.dbPath);
  }
  const unindexed =
    sqlite === undefined || file === undefined
      ? 'Node has no node:sqlite, which comes with Node 22.5'
      : indexStreamRecords(sqlite, file);
  await temporary?.remove();
  const slowsDown =
    unindexed &&
    `Expected to index the stream records of the embedded DynamoDB, but could not (${unindexed}): ` +
      'it works, and slows down after some ten thousand writes.';
  return { endpoint, pid: await output.serverPid, ended: output.ended, slowsDown, stop };
}

interface Output {
  /** Resolves when the server reports that it is listening. */
  readonly listening: Promise<void>;
  readonly ended: Promise<string>;
  /** Resolves when the watchdog has reported the process ID, which it does before the server can listen. */
  readonly serverPid: Promise<number>;
}

function listen(child: ChildProcess): Output {
  let stderr = '';
  // Such a short line arrives in one piece.
  const serverPid = new Promise<number>((resolve) => {
    child.stdout?.once('data', (chunk) => resolve(Number.parseInt(String(chunk), 10)));
  });
  const listening = new Promise<void>((resolve) => {
    child.stderr?.on('data', (chunk) => {
      stderr = `${stderr}${String(chunk)}`.slice(-2_000);
      if (/listening on/i.test(stderr)) resolve();
    });
  });
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', () => resolve(stderr.trim()));
  });
  return { listening, ended, serverPid };
}

/**
 * Waits for the server to report that it is listening before sending a request, because another program may
 * answer on the same port.
 */
async function answers(endpoint: string, { listening, ended }: Output, deadline: number): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    AbortSignal.timeout(deadline).addEventListener('abort', () => {
      reject(new Error(`no answer within ${deadline} ms`));
    });
  });
  late.catch(() => {});
  const failed = ended.then((said) =>
    Promise.reject(new Error(said.split('\n')[0] || 'it ended without a word')),
  );
  failed.catch(() => {});
  await Promise.race([listening, late, failed]);
  await Promise.race([anyAnswer(endpoint), late, failed]);
}

/** Does not use fetch, which rejects some ports. */
function anyAnswer(endpoint: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(endpoint, (response) => {
      response.resume();
      resolve();
    }).on('error', reject);
  });
}

function startError(said: string, endpoint: string, dbPath: string | undefined): LocalError {
  if (dbPath !== undefined && /open database|sqlite|database file|disk|readonly/i.test(said)) {
    return new LocalError(
      'server.db-path',
      `Expected ${dbPath} to be a database file of the embedded DynamoDB, or a new name in a directory that can be ` +
        `written to, but it cannot be opened: choose another with --db-path.`,
    );
  }
  return new LocalError(
    'server.not-started',
    `Expected the embedded DynamoDB to start at ${endpoint}, but it did not (${said}): ` +
      `name a running DynamoDB with --endpoint instead.`,
  );
}

/** Ends a server whose watchdog was killed. */
function killOrphan(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}
