import type { Message } from '../../../model/message.ts';
import type { ReaderName, Step } from './world/step.ts';
import type { World } from './world/world.ts';

/** How often a person sends the dead letters again. */
const redrives = 2;

/** What happens beside the worker: dead letters are redriven, and sweeps run. */
export interface People {
  readonly sweeps: number;
}

const allReaders: readonly ReaderName[] = ['propagate', 'archive'];

/**
 * Lets the world go on without faults and without applications until nothing is left to do.
 * @param lag how late indexes are meanwhile, in milliseconds; with it, one thing is done after another
 * @returns false if that takes more requests, or propagations, than `most`
 */
export async function comeToRest(
  world: World,
  most: number,
  people: People | undefined,
  lag = 0,
): Promise<boolean> {
  const limit = world.served + most;
  let rounds = people === undefined ? 0 : redrives;
  let sweeps = people?.sweeps ?? 0;
  await world.take({ do: 'conditions', lag, lateness: 0, skew: 0 });
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

/** The longest delay of a queue, in milliseconds. Source: AWS, "Amazon SQS message quotas". */
const maxDelay = 900_000;

/**
 * Lets the world go on while the table is away, without the archive: its batches would come again all the time, and what
 * they count is the mapping's. The records go first: each leaves its work to the queue. From then on the backlog is
 * constant, and so is what an outage may cost.
 * @param milliseconds how long the table is away from now on
 * @param most requests, and steps, within which the records must be read
 * @returns what the worker did more than that, or undefined
 */
export async function outlast(world: World, milliseconds: number, most: number): Promise<string | undefined> {
  let limit = world.served + most;
  let backlog: number | undefined;
  for (let propagation = 0; world.isAway(); propagation += 1) {
    const left = whatIsLeft(world, propagation, ['propagate']);
    if (backlog === undefined && world.deliveries.length === 0 && !left.some((step) => step.do === 'read')) {
      const messages = world.queue.messages();
      backlog = messages.length;
      limit = world.served + mostRequests(messages, milliseconds);
    }
    for (const step of left) await world.take(step);
    if (left.length === 0) await world.take({ do: 'wait', milliseconds: 60_000 });
    if (world.served > limit)
      return backlog === undefined
        ? `${most} requests leave records unread`
        : `${backlog} messages cost more requests than their deliveries account for`;
    if (backlog === undefined && propagation >= most) return `${most} steps leave records unread`;
  }
  return undefined;
}

/**
 * The requests that an outage may cost: each delivery of a message tries to read its copies, each a request, or a page, or
 * its root, and sends the message again. The delay doubles from a second to the queue's longest, and stays there.
 */
function mostRequests(messages: readonly Message[], milliseconds: number): number {
  const doublings = Math.ceil(Math.log2(maxDelay / 1000));
  // The first delivery, and one after a second, come before the first doubling.
  const deliveries = 2 + doublings + Math.ceil(milliseconds / maxDelay);
  const requests = messages.map(({ copies = [] }) => Math.max(1, copies.length) + 1);
  return deliveries * requests.reduce((sum, one) => sum + one, 0);
}

function whatIsLeft(world: World, propagation: number, readers = allReaders): Step[] {
  const { deliveries, clock, queue } = world;
  const running = deliveries.flatMap(({ invocation }): Step[] => {
    const [request] = invocation.pending;
    if (request !== undefined)
      return [{ do: 'serve', invocation: invocation.name, request: request.text, fault: undefined, more: 3 }];
    world.findings.violated(7, 'an invocation waits for nothing', invocation.name);
    return [{ do: 'cut', invocation: invocation.name, served: undefined }];
  });
  if (running.length > 0) return running;
  const start = { requestsInTime: undefined, most: 10 };
  const reads = readers.flatMap((reader) =>
    world.stream.shards[reader].flatMap((shard, index): Step[] => {
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
