/** What is measured, a sample at a time: each in a process of its own, beside a stub that counts what it is sent. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { z } from 'zod';
import { bundleSettings } from '../scripts/bundles.ts';
import { projectFolder } from '../scripts/python-tools.ts';
import { environmentAt } from './stub-server.ts';
import type { WayName } from './ways/index.ts';
import { firstWork, recordsOf } from './works.ts';

const wayRound = z.object({ value: z.number(), runs: z.number(), writes: z.number() });
/** A value in the unit of the comparison; how often the work was done for it, and how many copies that wrote. */
export type WayRound = z.output<typeof wayRound>;

export interface Sample {
  readonly value: number;
  /** What a run sent, as the stub counted it. */
  readonly requests: number;
}

export type Sampler = () => Promise<Sample>;

const counted = z.object({ requests: z.number(), writes: z.number() });

export interface Stub {
  readonly endpoint: string;
  /** What it has counted since it was last asked. */
  readonly counts: () => Promise<z.output<typeof counted>>;
}

/** Opens processes, and closes them all. */
export class Workshop {
  private readonly closing: (() => void)[] = [];

  async stub(answerAfterMs: number): Promise<Stub> {
    const child = this.started('stub.ts', [String(answerAfterMs)], []);
    const { port } = z.object({ port: z.number() }).parse(await messageOf(child));
    return {
      endpoint: `http://127.0.0.1:${port}`,
      counts: async () => counted.parse(await answerOf(child, 'counts')),
    };
  }

  /**
   * CPU microseconds of a unit, or megabytes of live heap.
   * @throws Error if a way does not write what differs, and only that
   */
  async way(what: 'cpu' | 'heap', way: WayName, stub: Stub, seconds: number): Promise<Sampler> {
    const child = this.started('way-process.ts', [way, stub.endpoint, String(seconds)], ['--expose-gc']);
    await messageOf(child);
    const sampler = async () => {
      await stub.counts();
      const { value, runs, writes } = wayRound.parse(await answerOf(child, what));
      const found = await stub.counts();
      if (found.writes !== writes)
        throw new Error(`Expected ${way} to write ${writes} copies, found ${found.writes}`);
      return { value, requests: found.requests / runs };
    };
    // While V8 compiles.
    for (let warmUp = 0; warmUp < 2; warmUp += 1) await sampler();
    return sampler;
  }

  /**
   * By the names of the bundles, their kilobytes, and the CPU milliseconds of a new container, from the import of a bundle to its
   * first answer.
   */
  async bundles(stub: Stub): Promise<Readonly<Record<'size' | 'start', ReadonlyMap<string, Sampler>>>> {
    const folder = mkdtempSync(join(tmpdir(), 'denorm-start-'));
    this.closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const first = join(folder, 'first.json');
    writeFileSync(first, JSON.stringify({ Records: recordsOf(firstWork) }));
    const bundles = bundleSettings();
    const propagate = bundles.find(({ id }) => id === 'Propagate')?.options;
    const usual = { ...propagate, entryPoints: [join(projectFolder, 'bench/ways/powertools-handler.ts')] };
    const all = [...bundles, { id: 'usual', options: usual }];
    const built = await Promise.all(
      all.map(async ({ id, options }) => {
        const outfile = join(folder, `${id}.mjs`);
        await build({ ...options, outfile });
        const event = events[id] === undefined ? first : join(projectFolder, 'events', events[id]);
        const kilobytes = statSync(outfile).size / 1000;
        return {
          id,
          size: async () => ({ value: kilobytes, requests: 0 }),
          start: () => coldStart(outfile, event, stub),
        };
      }),
    );
    return {
      size: new Map(built.map(({ id, size }) => [id, size])),
      start: new Map(built.map(({ id, start }) => [id, start])),
    };
  }

  close(): void {
    for (const close of this.closing) close();
  }

  private started(program: string, parameters: readonly string[], execArgv: readonly string[]): ChildProcess {
    const child = fork(new URL(program, import.meta.url), parameters, {
      execArgv: [...process.execArgv, ...execArgv],
      // A handler logs to stdout. It costs it as much as in Lambda, and nobody reads it.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.closing.push(() => child.kill());
    return child;
  }
}

/** The events of functions that are not sent changes of the table. */
const events: Readonly<Record<string, string>> = {
  FanOut: 'rest-of-a-large-fan-out.json',
  Archive: 'order-expiring.json',
  Sweep: 'recheck.json',
  Verify: 'recheck.json',
};

async function coldStart(bundle: string, event: string, stub: Stub): Promise<Sample> {
  await stub.counts();
  const { stderr } = await promisify(execFile)(
    process.execPath,
    [new URL('cold.mjs', import.meta.url).pathname, bundle, event],
    {
      // The table that the events name.
      env: { ...environmentAt(stub.endpoint), TABLE_NAME: 'app', ARCHIVE_BUCKET: 'bench' },
      maxBuffer: 2 ** 24,
    },
  );
  const value = z.coerce.number().parse(stderr.split('\n').at(-1));
  return { value, requests: (await stub.counts()).requests };
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
