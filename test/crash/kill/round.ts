import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../../../src/develop/testing/simulation/random.ts';
import { chat, incidents, type Step, shop } from './applications.ts';
import { type DevProcess, startDev } from './dev-process.ts';
import { Ledger } from './ledger.ts';
import { archiveDifferences, differences } from './oracle.ts';

/** How long the worker may take to come to rest after the last write, in milliseconds. */
const maxUnrest = 60_000;

/** How long rest must last, in milliseconds. */
const quiet = 300;

export interface RoundOutcome {
  readonly seed: number;
  readonly kills: number;
  readonly acknowledged: number;
  readonly unanswered: number;
  readonly milliseconds: number;
  readonly wrong: readonly string[];
}

/**
 * Applications write while the worker and its table are killed and started again on the same file, one time after
 * another; then they stop, the worker comes to rest, and everything is looked at.
 */
export async function killRound(seed: number): Promise<RoundOutcome> {
  const started = performance.now();
  const random = new Random(seed);
  const folder = await mkdtemp(join(tmpdir(), 'denorm-kill-'));
  const ledger = new Ledger();
  const kills = random.int(1, 3);
  let dev: DevProcess | undefined;
  const start = async (): Promise<DevProcess> => {
    dev = await startDev(folder);
    ledger.connect(dev.endpoint);
    return dev;
  };
  const ending = new AbortController();
  const writers: Promise<void>[] = [];
  try {
    await start();
    for (const step of [incidents, chat, shop])
      writers.push(keepWriting(ledger, step, new Random(random.int(1, 2 ** 31)), ending.signal));
    for (let kill = 0; kill < kills; kill += 1) {
      const running = dev ?? (await start());
      if (random.chance(0.75)) await running.ready;
      // A checkpoint is taken every second.
      await wait(random.int(0, 2_000));
      await running.kill();
      await start();
    }
    const last = dev;
    await last?.ready;
    await wait(random.int(50, 200));
    ending.abort();
    await Promise.all(writers);
    const wrong = [...ledger.lost, ...(await unrestOf(ledger, join(folder, 'bucket')))];
    const said = wrong.length === 0 || last === undefined ? [] : [`denorm dev said:\n${last.output()}`];
    const { acknowledged, unanswered } = ledger;
    const milliseconds = Math.round(performance.now() - started);
    return { seed, kills, acknowledged, unanswered, milliseconds, wrong: [...wrong, ...said] };
  } finally {
    ending.abort();
    await dev?.kill();
    ledger.close();
    await Promise.allSettled(writers);
    await rm(folder, { recursive: true, force: true });
  }
}

async function keepWriting(ledger: Ledger, step: Step, random: Random, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    await step(ledger, random);
    await wait(random.int(0, 20));
  }
}

/** What is wrong when the worker has come to rest: nothing, for a while, or something after a long time. */
async function unrestOf(ledger: Ledger, archive: string): Promise<string[]> {
  const end = performance.now() + maxUnrest;
  let rightSince: number | undefined;
  for (;;) {
    const items = await ledger.scan();
    const entries = [...ledger.entries.values()];
    const wrong = [...differences(entries, items), ...archiveDifferences(archive, entries, items)];
    const now = performance.now();
    rightSince = wrong.length > 0 ? undefined : (rightSince ?? now);
    if (rightSince !== undefined && now - rightSince >= quiet) return [];
    if (now > end) return wrong;
    await wait(50);
  }
}
