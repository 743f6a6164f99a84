import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pythonTool } from '../../scripts/python-tools.ts';
import { freePort } from '../../src/develop/dev/table/free-port.ts';

/** How long answers took from request to answer, in milliseconds: the first one with the start of Node and the import. */
export interface EmulatedStart {
  readonly first: number;
  readonly second: number;
}

const patience = 60_000;

/**
 * Starts a function as AWS's runtime interface emulator does, with AWS's runtime client, and asks it twice.
 * @param runtime the folder that has the runtime client's `index.mjs`
 * @param bundle the function's file, whose export `handler` answers
 */
export async function startInEmulator(
  runtime: string,
  bundle: string,
  event: string,
  env: NodeJS.ProcessEnv,
): Promise<EmulatedStart> {
  const [port, api] = [await freePort(), await freePort()];
  const handler = `${basename(bundle, '.mjs')}.handler`;
  const emulator = spawn(
    emulatorOfSam(),
    [
      ...['--runtime-interface-emulator-address', `127.0.0.1:${port}`],
      ...['--runtime-api-address', `127.0.0.1:${api}`],
      ...[process.execPath, join(runtime, 'index.mjs'), handler],
    ],
    {
      env: { ...env, LAMBDA_TASK_ROOT: dirname(bundle), _HANDLER: handler },
      stdio: ['ignore', 'ignore', 'ignore'],
    },
  );
  const ended = once(emulator, 'exit');
  try {
    await listens(port, emulator);
    const body = readFileSync(event);
    return { first: await answered(port, body), second: await answered(port, body) };
  } finally {
    emulator.kill('SIGKILL');
    await ended;
  }
}

/** The emulator that SAM CLI puts into its containers. */
function emulatorOfSam(): string {
  const file = `aws-lambda-rie-${process.arch === 'arm64' ? 'arm64' : 'x86_64'}`;
  const home = dirname(dirname(pythonTool('sam', 'sam')));
  const within = readdirSync(join(home, 'lib'), { recursive: true, encoding: 'utf8' });
  const found = within.find((path) => basename(path) === file);
  if (found === undefined)
    throw new Error(`Expected ${file} in ${home}, found none: run \`npm run setup:sam\``);
  return join(home, 'lib', found);
}

/** Waits until the emulator takes requests. It starts the function with the first one only. */
async function listens(port: number, emulator: { readonly exitCode: number | null }): Promise<void> {
  const end = performance.now() + patience;
  while (performance.now() < end && emulator.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer !== undefined) return;
    await delay(10);
  }
  throw new Error('Expected the runtime interface emulator to listen, but it did not');
}

async function answered(port: number, body: Buffer<ArrayBuffer>): Promise<number> {
  const url = `http://127.0.0.1:${port}/2015-03-31/functions/function/invocations`;
  const start = performance.now();
  const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(patience) });
  const text = await response.text();
  if (/errorMessage/.test(text))
    throw new Error(`Expected the function to answer, got ${text.slice(0, 300)}`);
  return performance.now() - start;
}
