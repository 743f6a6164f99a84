/**
 * Program: `way-process.ts <way> <endpoint> <seconds>` does the work in one way, in a process of its own. It answers each
 * message with a sample: `cpu`, what a unit costs in a round that repeats the work until the seconds have passed, in all threads
 * of this process; `heap`, what lives when the first copy is written, for which Node needs --expose-gc.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { WayRound } from './samplers.ts';
import { wayName, ways } from './ways/index.ts';

const [, , way, endpoint = '', roundSeconds] = process.argv;
const prepared = await ways[wayName.parse(way)](endpoint);

process.on('message', async (what) => process.send?.(await (what === 'heap' ? heap() : cpu())));
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function cpu(): Promise<WayRound> {
  const start = performance.now();
  let microseconds = 0;
  let runs = 0;
  while (performance.now() - start < Number(roundSeconds) * 1000) {
    prepared.before?.();
    const before = process.cpuUsage();
    await prepared.run();
    const { user, system } = process.cpuUsage(before);
    microseconds += user + system;
    runs += 1;
  }
  return { value: microseconds / runs / prepared.units, runs, writes: runs * prepared.writes };
}

async function heap(): Promise<WayRound> {
  let megabytes: number | undefined;
  const onRequest = (message: unknown) => {
    const { request } = message as { readonly request: ClientRequest };
    if (megabytes !== undefined || !/(Statement|UpdateItem)$/.test(String(request.getHeader('x-amz-target'))))
      return;
    globalThis.gc?.();
    megabytes = process.memoryUsage().heapUsed / 1e6;
  };
  subscribe('http.client.request.start', onRequest);
  await prepared.run();
  unsubscribe('http.client.request.start', onRequest);
  if (megabytes === undefined) throw new Error('Expected a copy to be written');
  return { value: megabytes, runs: 1, writes: prepared.writes };
}
