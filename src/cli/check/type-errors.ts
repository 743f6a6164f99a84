import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Finding } from '../../check/finding.ts';
import { lastWordsOf } from '../../dev/errors.ts';

/** How many errors are listed: one mistake can have very many. */
const maxListed = 50;

/**
 * Runs the project's own TypeScript, from its node_modules, with its tsconfig.json. Node and esbuild only strip types, so that
 * nothing else sees what the compiler refuses.
 * @returns nothing if the signal stops it. Never rejects
 */
export function typeErrors(folder: string, signal?: AbortSignal): Promise<readonly Finding[]> {
  const compiler = compilerIn(folder);
  if (typeof compiler !== 'string') return Promise.resolve([compiler]);
  const settings = join(folder, 'tsconfig.json');
  const args = [compiler, '--noEmit', '--incremental', 'false', '--pretty', 'false', '-p', settings];
  const options = {
    cwd: folder,
    maxBuffer: 2 ** 26,
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, output, stderr) =>
      resolve(error === null || signal?.aborted ? [] : errorsIn(output, Object.assign(error, { stderr }))),
    );
  });
}

export function canCheckTypes(folder: string): boolean {
  return typeof compilerIn(folder) === 'string';
}

function compilerIn(folder: string): string | Finding {
  const without = 'or nothing checks the types of your rules';
  if (!existsSync(join(folder, 'tsconfig.json')))
    return finding(
      'tsconfig.json',
      `Expected a tsconfig.json beside denorm.config.ts, found none: add one, ${without}`,
    );
  try {
    const { resolve } = createRequire(join(folder, 'package.json'));
    return join(dirname(resolve('typescript/package.json')), 'bin', 'tsc');
  } catch {
    return finding(
      'typescript',
      `Expected the package typescript in node_modules, found none: run \`npm install --save-dev typescript @types/node\`, ${without}`,
    );
  }
}

function errorsIn(output: string, error: unknown): readonly Finding[] {
  const lines = output.split('\n').filter((line) => /\berror TS\d+: /.test(line));
  const found = lines.slice(0, maxListed).map((line) => {
    const [, file = 'tsconfig.json', at, message = line] =
      /^(?:(.+?)\((\d+),\d+\): )?error (TS\d+: .+)$/.exec(line) ?? [];
    return finding(at === undefined ? file : `${file}:${at}`, message);
  });
  const more = lines.length - found.length;
  if (more > 0) found.push(finding('tsc', `${more} more errors: run \`npx tsc --noEmit\``));
  return found.length > 0
    ? found
    : [
        finding(
          'tsc',
          `Expected tsc to check the types, but it failed (${lastWordsOf(error)}): run \`npx tsc --noEmit\``,
        ),
      ];
}

function finding(subject: string, message: string): Finding {
  return { about: 'types', subject, message };
}
