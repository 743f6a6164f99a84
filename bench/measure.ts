/** The processes of a benchmark: the stub, and one for each way. */
import { type ChildProcess, fork } from 'node:child_process';
import { z } from 'zod';
import { measuredRound, type Result, type Round, resultOf } from './results.ts';
import type { WayName } from './ways/index.ts';
import { work } from './works.ts';

/** Rounds that are not counted, while V8 compiles. */
const warmUps = 2;

export interface Stub {
  readonly endpoint: string;
  /** What it has counted since it was last asked. */
  counts(): Promise<{ readonly requests: number; readonly writes: number }>;
  close(): void;
}

export async function startStub(): Promise<Stub> {
  const child = fork(new URL('stub.ts', import.meta.url));
  const { port } = z.object({ port: z.number() }).parse(await messageOf(child));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    counts: async () =>
      z.object({ requests: z.number(), writes: z.number() }).parse(await answerOf(child, 'counts')),
    close: () => child.disconnect(),
  };
}

/**
 * Measures the work in several ways, each in a process of its own. Their rounds interleave, so that all of them meet the same
 * load of the machine.
 * @throws Error if a way does not write what differs, and only that
 */
export async function measure(
  stub: Stub,
  ways: readonly WayName[],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Result[]> {
  const measured = await Promise.all(
    ways.map(async (way) => ({
      way,
      child: await startWay([way, stub.endpoint, String(seconds)]),
      rounds: [] as Round[],
    })),
  );
  for (let round = -warmUps; round < rounds; round += 1)
    for (const { way, child, rounds: kept } of measured) {
      await stub.counts();
      const one = measuredRound.parse(await answerOf(child, 'round'));
      const { requests, writes } = await stub.counts();
      if (writes !== one.runs * work.copies.length)
        throw new Error(`Expected ${way} to write ${work.copies.length} copies, found ${writes / one.runs}`);
      if (round >= 0) kept.push({ ...one, requests: requests / one.runs });
    }
  for (const { child } of measured) child.disconnect();
  return measured.map(({ way, rounds: kept }) => resultOf(way, kept));
}

async function startWay(parameters: readonly string[]): Promise<ChildProcess> {
  const child = fork(new URL('way-process.ts', import.meta.url), parameters, {
    // A handler logs to stdout. It costs it as much as in Lambda, and nobody reads it.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await messageOf(child);
  return child;
}

function answerOf(child: ChildProcess, message: string): Promise<unknown> {
  const answer = messageOf(child);
  child.send(message);
  return answer;
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) =>
      reject(
        new Error(`Expected ${child.spawnargs.slice(-3).join(' ')} to answer, but it exited with ${code}`),
      );
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}
