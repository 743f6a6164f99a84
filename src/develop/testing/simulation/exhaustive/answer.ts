import type { MessagePort } from 'node:worker_threads';
import type { Functions } from '../world/worker-under-test.ts';
import { explore, type SmallWorld } from './explore.ts';
import type { ExploreAnswer } from './explore-on-threads.ts';

/** Explores a world in a thread, and says how far it is. */
export async function answerExplored(
  port: MessagePort,
  worlds: readonly SmallWorld[],
  explored: number,
  functions?: Functions,
): Promise<void> {
  const say = (answer: Omit<ExploreAnswer, 'explored'>) => port.postMessage({ explored, ...answer });
  const world = worlds[explored];
  const none = { states: 0, ends: 0, finished: true };
  const found =
    world === undefined
      ? none
      : await explore(world, { functions, onStates: (one) => say({ found: one, ended: false }) });
  say({ found, ended: true });
}
