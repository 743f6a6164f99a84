import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { runOnThreads } from '../../../../src/develop/testing/simulation/run-on-threads.ts';
import { emptySummary } from '../../../../src/develop/testing/simulation/summary.ts';

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

function moduleOf(source: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}
