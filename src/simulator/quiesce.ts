import type { Message } from '../model/work/message.ts';
import { pendingSteps } from './pending-steps.ts';
import type { Step } from './world/step.ts';
import type { World } from './world/world.ts';

const redrives = 2;

/** Requests, and steps, within which a world without faults must come to rest. */
export const maxRequests = 10_000;

/**
 * Lets the world go on without faults and without applications until nothing is left to do.
 * @param withPeople whether dead letters are redriven, and sweeps run
 * @param lag how late indexes are meanwhile, in milliseconds; with it, one thing is done after another
 * @returns false if that takes too many requests, or propagations
 */
export async function quiesce(world: World, withPeople: boolean, lag = 0): Promise<boolean> {
  const limit = world.served + maxRequests;
  let rounds = withPeople ? redrives : 0;
  // The first goes on with a pass that was stopped, the second looks at everything.
  let sweeps = withPeople && world.registry.archives.some(({ ages }) => ages !== undefined) ? 2 : 0;
  await world.take({ do: 'conditions', lag, lateness: 0, skew: 0 });
  // An invocation that fails before its first request costs none, and comes again.
  for (let round = 0; world.served < limit && round < maxRequests; round += 1) {
    const left = pendingSteps(world, `rest ${round}`, ['propagate', 'archive'], 3);
    for (const step of left) {
      await world.take(step);
      if (lag > 0) break;
    }
    if (left.length > 0) continue;
    const settled = world.table.indexes.settledAt() ?? 0;
    if (settled > world.clock.now) await world.take({ do: 'wait', milliseconds: settled - world.clock.now });
    else if (rounds > 0 && (await world.take({ do: 'redrive' }))) rounds -= 1;
    else if (sweeps > 0) {
      // A scan shows what was written a second ago.
      await world.take({ do: 'wait', milliseconds: 1000 });
      await world.take({ do: 'sweep', name: `rest sweep ${sweeps}` });
      sweeps -= 1;
    } else return true;
  }
  return false;
}

/** The longest delay of a queue, in milliseconds. Source: AWS, "Amazon SQS message quotas". */
const maxDelay = 900_000;

/**
 * Without the archive, whose batches come again all the time. Records go first: from then on the backlog is constant.
 * @returns what the worker did beyond the cost of an outage
 */
export async function outlast(world: World): Promise<string | undefined> {
  let limit = world.served + maxRequests;
  let backlog: number | undefined;
  for (let round = 0; world.isAway(); round += 1) {
    const left = pendingSteps(world, `outage ${round}`, ['propagate'], 3);
    if (backlog === undefined && world.deliveries.length === 0 && !left.some((step) => step.do === 'read')) {
      const messages = world.queue.messages();
      backlog = messages.length;
      limit = world.served + costOfOutage(messages, world.profile.outage);
    }
    for (const step of left) await world.take(step);
    if (left.length === 0) await world.take({ do: 'wait', milliseconds: 60_000 });
    if (world.served > limit) return `${backlog ?? 'unread'} messages cost too many requests`;
    if (backlog === undefined && round >= maxRequests) return `${maxRequests} steps leave records unread`;
  }
  return undefined;
}

/** How long the worker waits during such an outage, so that messages come together, in milliseconds. */
const together = 300_000;

/** An outage that outlasts the worker's patience, in which applications go on writing: new work waits with what is given up. */
export async function giveUp(world: World, write: () => Step | undefined): Promise<void> {
  for (let round = 0; world.isAway() && round < maxRequests; round += 1) {
    const left = pendingSteps(world, `outage ${round}`, ['propagate'], 3);
    if (left.some((step) => step.do !== 'wait')) {
      for (const step of left) await world.take(step);
      continue;
    }
    const written = write();
    if (written !== undefined) await world.take(written);
    await world.take({ do: 'wait', milliseconds: together });
  }
}

/** Each delivery reads each copy, or a page, or its root, and sends the message again; the delay doubles from a second to the queue's longest. */
function costOfOutage(messages: readonly Message[], milliseconds: number): number {
  const doublings = Math.ceil(Math.log2(maxDelay / 1000));
  // The first delivery, and one after a second, come before the first doubling.
  const deliveries = 2 + doublings + Math.ceil(milliseconds / maxDelay);
  const requests = messages.map(({ copies = [] }) => Math.max(1, copies.length) + 1);
  return deliveries * requests.reduce((sum, one) => sum + one, 0);
}
