/**
 * Program: `way-process.ts <way> <endpoint> <seconds>` does the work in one way, in a process of its own, a round for each
 * message. A round does the work again until the seconds have passed. Its CPU is that of all threads of this process.
 */

import type { z } from 'zod';
import type { measuredRound } from './results.ts';
import { wayName, ways } from './ways/index.ts';
import { work } from './works.ts';

const [, , way, endpoint = '', roundSeconds] = process.argv;
const run = await ways[wayName.parse(way)].way(work, endpoint);

process.on('message', async () => process.send?.(await round()));
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function round(): Promise<z.output<typeof measuredRound>> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  let runs = 0;
  let seconds = 0;
  while (seconds < Number(roundSeconds)) {
    await run();
    runs += 1;
    seconds = (performance.now() - start) / 1_000;
  }
  const { user, system } = process.cpuUsage(cpu);
  const copies = runs * work.copies.length;
  return { runs, copiesPerSecond: copies / seconds, microseconds: (user + system) / copies };
}
