import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import config from '../../denorm.config.ts';
import { exploredText, exploreOnThreads } from '../../src/simulator/exhaustive/explore-on-threads.ts';
import { emptySummary } from '../../src/simulator/summary.ts';
import { runOnThreads } from '../../src/simulator/threads.ts';

const smallWorld = { registry: config.registry(), items: [], applications: [], faults: 1, lag: 0 };

test('a thread that fails ends the others, which had seeds left to play', async () => {
  const threads: Worker[] = [];
  const note = (thread: Worker) => threads.push(thread);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  const module = moduleOf(`
    import { parentPort, workerData } from 'node:worker_threads';
    parentPort.on('message', ({ from }) => {
      if (from === 20) throw new Error('seed 20 cannot be played');
      parentPort.postMessage({ found: workerData, ended: true });
    });`);

  const played = runOnThreads({
    ...{ seed: 1, seeds: 1_000_000, minutes: 1, steps: 1, workers: 2 },
    ...{ module, data: emptySummary(), rangeSize: 1 },
    ...{ enough: () => false, maxShown: 0, progress: () => {} },
  });

  await expect(played).rejects.toThrow('seed 20 cannot be played');
  // Node gives a thread that has ended the id -1.
  expect(threads.map(({ threadId }) => threadId)).toEqual([-1, -1]);
});

test('a large world waits until each was begun, and may be left unfinished', async () => {
  const begun: number[] = [];
  const module = moduleOf(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (job) => {
      const states = job.world === 0 ? (job.most ?? 3000) : 10;
      const found = { states, ends: 1, finished: job.world !== 0 };
      parentPort.postMessage({ job, found, ended: job.most !== undefined });
    });`);
  const worlds = ['large', 'small'].map((name) => ({ ...smallWorld, name }));
  const found = await exploreOnThreads(worlds, {
    ...{ module, workers: 1, minutes: 1 },
    stopped: () => begun.includes(3010),
    progress: (states) => void begun.push(states),
  });

  expect(begun).toEqual([2000, 2010, 3010]);
  expect(exploredText(worlds, found)).toBe(
    [
      'large (0 items, 0 changes, 1 fault): 3,000 states, 1 end, not finished, no violation so far',
      'small (0 items, 0 changes, 1 fault): 10 states, 1 end, no violation',
      '1 of 2 worlds finished, 3,010 states: no violation so far, which is no proof: give it more --minutes, or none',
    ].join('\n'),
  );
});

function moduleOf(source: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}
