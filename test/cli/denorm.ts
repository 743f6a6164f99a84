import { type ChildProcess, type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';

export const launcher = fileURLToPath(new URL('../../bin/denorm.mjs', import.meta.url));

/** How long a command may take to reach an awaited state, in milliseconds. */
const deadline = 45_000;

/** The command line, run as a user would run it, in a separate folder. */
export interface Denorm {
  readonly process: ChildProcess;
  /** Its output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves to the exit code. */
  readonly exited: Promise<number | null>;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param more environment variables in addition to those of this process */
export function start(args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}): Denorm {
  const env = { ...process.env, ...more };
  const words = [launcher, ...(env['DENORM_CONFIG'] ? withState(args) : args)];
  return watched(spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Tests share the config of this repository; what commands keep beside it goes into the folder of the test instead. */
export function withState(args: readonly string[]): readonly string[] {
  const keeps = /^(dev|verify|repair|backfill|dlq \w+)( |$)/.test(args.join(' '));
  return keeps && !args.includes('--state-dir') ? [...args, '--state-dir', '.denorm'] : args;
}

/** Runs a script of this repository. */
export async function runNode(args: readonly string[]): Promise<Ran> {
  return ended(watched(spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'pipe'] })));
}

/** Starts it as npx does: below a shell that does not exec the command. */
export function startBelowShell(args: readonly string[], cwd: string): Denorm {
  const script = `'${process.execPath}' '${launcher}' ${withState(args).join(' ')}; exit $?`;
  const env = { ...process.env, npm_command: 'exec' };
  return watched(spawn('sh', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Starts it in the background of a shell that then ends, and that prints its process ID. Its output goes to `log`. */
export function startInBackground(args: readonly string[], cwd: string): Denorm {
  const script = `'${process.execPath}' '${launcher}' ${withState(args).join(' ')} </dev/null >log 2>&1 & echo $!`;
  const env = { ...process.env, npm_command: undefined };
  return watched(spawn('sh', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

export function watched(child: ChildProcessByStdio<null, Readable, Readable>): Denorm {
  let stdout = '';
  let stderr = '';
  // A chunk may end within a letter.
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  return { process: child, stdout: () => stdout, stderr: () => stderr, exited };
}

export async function run(args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}): Promise<Ran> {
  return ended(start(args, cwd, more));
}

export async function ended(command: Denorm): Promise<Ran> {
  const code = await command.exited;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

/** What a command printed with --json, one value for each line. A cut-off last line is left out. */
export function jsonLines<Line = Record<string, unknown>>({ stdout }: Pick<Ran, 'stdout'>): Line[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));
}

/** Waits until a condition holds; the error after the deadline names the condition. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + deadline;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Expected within ${deadline} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Starts `denorm dev` without its page, whose port a test beside it may have found free, and waits for its ready line. */
export async function startDev(args: readonly string[], cwd: string): Promise<Denorm> {
  const dev = start(['dev', '--no-page', ...args], cwd);
  await until(() => dev.stdout().includes('ready ') || dev.process.exitCode !== null, 'the ready line');
  return dev;
}

/** The process id of what this process, or one that it has started, runs by a command line. */
export function processBelow(ancestor: number | undefined, program: RegExp): number {
  const processes = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
    });
  const below = new Set([ancestor]);
  for (let size = 0; size < below.size; ) {
    size = below.size;
    for (const { pid, parent } of processes) if (below.has(parent)) below.add(pid);
  }
  const found = processes.find(({ pid, args }) => below.has(pid) && program.test(args));
  return found?.pid ?? expect.fail(`the process runs no ${program}`);
}

/** The process id of the command itself, which `bin/denorm.mjs` has started. */
export function commandOf({ process }: Pick<Denorm, 'process'>): number {
  return processBelow(process.pid, /src\/cli\/main\.ts /);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
