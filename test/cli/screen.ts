import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { launcher, watched, withState } from './denorm.ts';

/** What a person sees of a program that ran on a terminal of 80 columns. */
export interface Screen {
  readonly code: number | null;
  readonly text: string;
  /** What is wrong with it, whatever the program: a line each. */
  readonly faults: readonly string[];
}

const columns = 80;

/** A command line of `denorm`, as a user would run it. */
export function commandOnScreen(args: readonly string[], cwd: string): Promise<Screen> {
  return scriptOnScreen([launcher, ...withState(args)], cwd);
}

/** A script of Node with arguments, on the terminal that `script` of util-linux makes. */
export async function scriptOnScreen(args: readonly string[], cwd: string): Promise<Screen> {
  const words = [process.execPath, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const env = { ...process.env, TERM: 'xterm-256color', NO_COLOR: undefined, FORCE_COLOR: undefined };
  const terminal = watched(
    spawn('script', ['-qec', `stty cols ${columns} rows 50; ${words}`, '/dev/null'], {
      ...{ cwd, env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const code = await terminal.exited;
  const text = stripVTControlCharacters(terminal.stdout());
  return { code, text, faults: text.split(/[\r\n]+/).flatMap(faultOf) };
}

/** Commands to paste, and JSON: a line break would make them something else. */
const unbroken = /^ *(\$ |export |\{")/;

function faultOf(line: string): readonly string[] {
  if (/\\u00[01]|\[\d{1,2}m/.test(line)) return [`an escape as text: ${line}`];
  if (/^ +at .+:\d+:\d+\)?$/.test(line)) return [`a stack trace: ${line}`];
  const { length } = Array.from(line);
  const isWord = !line.trimStart().includes(' ');
  return length <= columns || unbroken.test(line) || isWord ? [] : [`${length} columns: ${line}`];
}
