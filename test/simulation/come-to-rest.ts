import type { ReaderName, Step } from './world/step.ts';
import type { World } from './world/world.ts';

/** How often a person sends the dead letters again. */
const redrives = 2;

const allReaders: readonly ReaderName[] = ['propagate', 'archive'];

/** The first goes on with a pass that was stopped, the second looks at everything. */
const lastSweeps = 2;

/**
 * Lets the world go on without faults and without applications until nothing is left to do.
 * @param lag how late indexes are meanwhile, in milliseconds; with it, one thing is done after another
 * @returns false where that takes more requests, or propagations, than `most`
 */
export async function comeToRest(world: World, most: number, redriven: boolean, lag = 0): Promise<boolean> {
  const limit = world.served + most;
  let rounds = redriven ? redrives : 0;
  let sweeps = redriven ? lastSweeps : 0;
  await world.take({ do: 'weather', lag, lateness: 0, skew: 0 });
  // An invocation that fails before its first request costs none, and comes again.
  for (let propagation = 0; world.served < limit && propagation < most; propagation += 1) {
    const left = whatIsLeft(world, propagation);
    const steps = lag > 0 ? left.slice(0, 1) : left;
    for (const step of steps) await world.take(step);
    if (steps.length > 0) continue;
    if (rounds > 0 && (await world.take({ do: 'redrive' }))) rounds -= 1;
    else if (sweeps > 0) {
      // A scan shows what was written a second ago.
      await world.take({ do: 'wait', milliseconds: 1000 });
      await world.take({ do: 'sweep', name: `rest sweep ${sweeps}`, requestsInTime: undefined });
      sweeps -= 1;
    } else return true;
  }
  return false;
}

/**
 * Lets the world go on while the table is away, without the archive: its batches would come again all the time, and what
 * they count is the mapping's.
 * @returns false where that takes more requests, or propagations, than `most`
 */
export async function outlast(world: World, most: number): Promise<boolean> {
  const limit = world.served + most;
  for (let propagation = 0; world.served < limit && propagation < most; propagation += 1) {
    if (!world.isAway()) return true;
    const left = whatIsLeft(world, propagation, ['propagate']);
    for (const step of left) await world.take(step);
    if (left.length === 0) await world.take({ do: 'wait', milliseconds: 60_000 });
  }
  return false;
}

function whatIsLeft(world: World, propagation: number, readers = allReaders): Step[] {
  const { deliveries, clock, queue } = world;
  const running = deliveries.flatMap(({ invocation }): Step[] => {
    const [request] = invocation.pending;
    if (request !== undefined)
      return [{ do: 'serve', invocation: invocation.name, request: request.text, fault: undefined, more: 3 }];
    world.verdict.violated(7, 'an invocation waits for nothing', invocation.name);
    return [{ do: 'cut', invocation: invocation.name, served: undefined }];
  });
  if (running.length > 0) return running;
  const start = { requestsInTime: undefined, most: 10 };
  const reads = readers.flatMap((reader) =>
    world.shards[reader].flatMap((shard, index): Step[] => {
      if (!shard.hasMore()) return [];
      const name = `rest ${reader} ${index} ${propagation}`;
      return [{ do: 'read', reader, shard: index, again: 'next', back: 0, name, ...start }];
    }),
  );
  if (reads.length > 0) return reads;
  const due = queue.nextDue();
  if (due !== undefined && due <= clock.now)
    return [{ do: 'receive', skip: 0, name: `rest fan-out ${propagation}`, ...start }];
  const next = due ?? world.table.indexes.settledAt();
  return next === undefined || (due === undefined && next <= clock.now)
    ? []
    : [{ do: 'wait', milliseconds: next - clock.now }];
}
