import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectFolder, pythonTool, toolEnvironment } from './python-tools.ts';

/** A samconfig.toml that sets nothing: the developer's own may name a real stack. */
export const emptySettings = join(projectFolder, 'test/deployed/samconfig.toml');

/** Runs a program to its end in the project's folder, at most so long; its output goes to `say`, and back. */
export function runTool(
  program: string,
  args: readonly string[],
  { env = {}, say = () => {}, seconds = 300 }: RunOptions = {},
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, {
      cwd: projectFolder,
      env: toolEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: seconds * 1000,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        say(text);
      });
    child.on('error', (error) =>
      fail(new Error(`Expected ${program} to start, got ${error.message}: run \`npm run setup:sam\` first`)),
    );
    child.on('close', (code) => done({ code: code ?? 1, output }));
  });
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly say?: (text: string) => void;
  /** After so many seconds the program is ended. Default 300. */
  readonly seconds?: number;
}

/**
 * Runs SAM CLI.
 * @throws Error with what it printed where it fails
 */
export async function sam(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, output } = await runTool(pythonTool('sam', 'sam'), args, options);
  if (code !== 0)
    throw new Error(`Expected \`sam ${args.join(' ')}\` to succeed, got code ${code}:\n${output}`);
  return output;
}
