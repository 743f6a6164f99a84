import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Finding } from '../../develop/check/finding.ts';

/** A run of a project's compiler. */
export interface TypeCheck {
  /** Never rejects. Empty if it was stopped. */
  readonly findings: Promise<readonly Finding[]>;
  stop(): void;
}

/** How many errors are listed: one mistake can have very many. */
const maxListed = 50;

/**
 * Runs the project's own TypeScript, from its node_modules, with its tsconfig.json. Node and esbuild only strip types, so that
 * nothing else sees what the compiler refuses.
 */
export function typeErrors(folder: string): TypeCheck {
  const missing = missingIn(folder);
  if (typeof missing !== 'string') return { findings: Promise.resolve([missing]), stop() {} };
  const child = spawn(
    process.execPath,
    [missing, '--noEmit', '--incremental', 'false', '--pretty', 'false', '-p', join(folder, 'tsconfig.json')],
    { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let output = '';
  let stopped = false;
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const findings = new Promise<readonly Finding[]>((resolve) => {
    child.on('error', ({ message }) =>
      resolve([finding('tsc', `Expected to run ${missing}, got ${message}`)]),
    );
    child.on('close', (code) => resolve(stopped || code === 0 ? [] : errorsIn(output)));
  });
  return {
    findings,
    stop() {
      stopped = true;
      child.kill('SIGKILL');
    },
  };
}

/** Whether the project has a tsconfig.json and TypeScript. */
export function canCheckTypes(folder: string): boolean {
  return typeof missingIn(folder) === 'string';
}

/** The compiler's program, or why it cannot run. */
function missingIn(folder: string): string | Finding {
  if (!existsSync(join(folder, 'tsconfig.json')))
    return finding(
      'tsconfig.json',
      'Expected a tsconfig.json beside denorm.config.ts, found none: add one, or nothing checks the types of your rules',
    );
  try {
    const { resolve } = createRequire(join(folder, 'package.json'));
    return join(dirname(resolve('typescript/package.json')), 'bin', 'tsc');
  } catch {
    return finding(
      'typescript',
      'Expected the package typescript in node_modules, found none: run `npm install --save-dev typescript @types/node`, or nothing checks the types of your rules',
    );
  }
}

function errorsIn(output: string): readonly Finding[] {
  const lines = output.split('\n').filter((line) => /\berror TS\d+: /.test(line));
  const found = lines.slice(0, maxListed).map((line) => {
    const [, file = 'tsconfig.json', at, says = line] =
      /^(?:(.+?)\((\d+),\d+\): )?error (TS\d+: .+)$/.exec(line) ?? [];
    return finding(at === undefined ? file : `${file}:${at}`, says);
  });
  const more = lines.length - found.length;
  if (more > 0) found.push(finding('tsc', `${more} more errors: run \`npx tsc --noEmit\``));
  return found.length > 0
    ? found
    : [finding('tsc', 'Expected tsc to end without errors: run `npx tsc --noEmit`')];
}

function finding(subject: string, says: string): Finding {
  return { about: 'types', subject, says };
}
