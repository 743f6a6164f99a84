import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as z from 'zod';

/**
 * With a limit, V8 collects garbage instead of taking more memory; a function with little memory is run like this. A process
 * that needs more than this at once ends.
 */
const limits = ['--max-old-space-size=40', '--max-semi-space-size=2'];

const told = z.object({ message: z.unknown(), megabytes: z.number() });

export interface BundledProcess {
  readonly process: ChildProcess;
  /** The most memory that it has had when it last said something, resident, in megabytes. */
  megabytes(): number;
  /** Resolves when it has ended. @throws if it failed */
  readonly ended: Promise<void>;
}

/** Starts a file of this folder in a process of its own, bundled as a function is: what compiles TypeScript takes memory too. */
export async function startBundled(
  file: string,
  args: readonly string[],
  folder: string,
  onMessage: (message: unknown) => void,
): Promise<BundledProcess> {
  const outfile = join(folder, `${basename(file, '.ts')}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'error', outfile },
    conditions: ['stream-denormalizer-source'],
    banner: {
      js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);",
    },
  });
  const child = fork(outfile, args, { execArgv: limits });
  let most = 0;
  child.on('message', (sent) => {
    const { message, megabytes } = told.parse(sent);
    most = megabytes;
    onMessage(message);
  });
  const ended = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`Expected ${file} to end well, got exit code ${code}`);
  });
  ended.catch(() => {});
  return { process: child, megabytes: () => most, ended };
}
