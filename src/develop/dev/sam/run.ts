import { spawn } from 'node:child_process';

/** The result of a program. `code` is undefined if it could not be started. */
export interface ProgramOutcome {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<ProgramOutcome>;

/** Maximum run time of a program before it is ended, in milliseconds. */
const deadline = 20_000;

/** Runs a short program with this process's environment. */
export const runProgram: RunProgram = (program, args) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: deadline });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] += text;
      });
    child.on('error', () => resolve({ code: undefined, ...said }));
    child.on('close', (code) => resolve({ code: code ?? 1, ...said }));
  });
