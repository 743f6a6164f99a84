import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { type Denorm, launcher, watched, withState } from './denorm.ts';

/** What a person sees of a program that ran on a terminal of 80 columns. */
export interface Screen {
  readonly code: number | null;
  readonly text: string;
  /** What is wrong with it, whatever the program: a line each. */
  readonly faults: readonly string[];
}

const columns = 80;

/**
 * Starts a script of Node with arguments on a terminal, which `script` of util-linux makes.
 * @param typed what the user types
 */
function startOnScreen(args: readonly string[], cwd: string, typed = ''): Denorm {
  const line = [process.execPath, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const without = { NO_COLOR: undefined, FORCE_COLOR: undefined, CI: undefined };
  const env = { ...process.env, TERM: 'xterm-256color', ...without };
  const command = `stty cols ${columns} rows 50; ${line}`;
  const script = ['script', '-qec', command, '/dev/null'];
  // A pipe passes no signal on: without anything to type, there is none.
  const [file = '', ...words] =
    typed === '' ? script : ['sh', '-c', 'printf %s "$0" | "$@"', typed, ...script];
  return watched(spawn(file, words, { ...{ cwd, env }, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Runs a script of Node to its end. */
export async function scriptOnScreen(args: readonly string[], cwd: string): Promise<Screen> {
  return screenOf(startOnScreen(args, cwd));
}

/** A command line of `denorm`, started as a user would. */
export function startCommandOnScreen(args: readonly string[], cwd: string, typed?: string): Denorm {
  return startOnScreen([launcher, ...withState(args)], cwd, typed);
}

/** The whole screen, once the program has ended. */
export async function screenOf(program: Denorm): Promise<Screen> {
  const code = await program.exited;
  const text = stripVTControlCharacters(program.stdout().replaceAll(redraw, '\n'));
  return { code, text, faults: text.split(/[\r\n]+/).flatMap(faultOf) };
}

/** Back to the beginning of the line, as a progress bar goes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it begins with one.
const redraw = /\u001b\[1?G/g;

/** Settings and commands to paste, and JSON: a line break would make them something else. */
const unbroken = /^ *(export |\$ |\{".*\}$)/;

function faultOf(line: string): readonly string[] {
  if (/\\u00[01]|\[\d{1,2}m/.test(line)) return [`an escape as text: ${line}`];
  if (/^ +at .+:\d+:\d+\)?$/.test(line)) return [`a stack trace: ${line}`];
  if (/\s$/.test(line)) return [`blanks at the end: ${JSON.stringify(line)}`];
  const { length } = Array.from(line);
  const isWord = !line.trimStart().includes(' ');
  return length <= columns || unbroken.test(line) || isWord ? [] : [`${length} columns: ${line}`];
}
