import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is not set in a user's shell: this repository's condition and project, and what `npm run` tells its scripts. */
const ownVariables =
  /^(NODE_OPTIONS|NODE_COMPILE_CACHE|INIT_CWD|VITEST.*|DENORM_.*|npm_(?!config_registry$).*)$/;

/** npm's own warnings, such as about a user's settings, would be taken for those of a command. */
const quiet = { NODE_ENV: undefined, NO_COLOR: '1', npm_config_loglevel: 'error' };

/** The environment of a user's shell. */
export function userEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !ownVariables.test(name));
  return { ...Object.fromEntries(kept), ...quiet, ...more };
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line to its end, as a user would type it. */
export async function shell(command: string, cwd: string, more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const running = inBackground(command, cwd, more);
  const code = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

/**
 * Runs a command line that must succeed.
 * @returns its standard output
 * @throws Error with its output if it fails
 */
export async function succeeds(command: string, cwd: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stdout, stderr } = await shell(command, cwd, more);
  if (code !== 0)
    throw new Error(`Expected \`${command}\` to succeed, got code ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}

export interface Background {
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<number>;
  /** Ends it and all that it has started, as Ctrl-C does, and waits until it has ended. */
  stop(): Promise<number>;
}

/** Starts a command line that goes on. */
export function inBackground(command: string, cwd: string, more: NodeJS.ProcessEnv = {}): Background {
  const child = spawn('bash', ['-c', command], {
    cwd,
    env: userEnvironment(more),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, to which `stop` sends the signal.
    detached: true,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)));
  const stop = () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    return ended;
  };
  return { stdout: () => stdout, stderr: () => stderr, ended, stop };
}

/** A folder outside of this repository, and a function that removes it. */
export function outside(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'denorm-package-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
