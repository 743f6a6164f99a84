import type { Random } from '../../examples/random.ts';
import { pendingSteps } from './pending-steps.ts';
import type { Invocation } from './world/invocation.ts';
import type { Step } from './world/step.ts';
import type { World } from './world/world.ts';

/** Nobody else writes and nothing fails: what is wrong then, no other record mends, and the write of an invocation that stalled is the last. */
export function pausesOf(random: Random, world: World) {
  const { stalling, pauses } = world.profile;
  const stalls = new Map<string, boolean>();
  /** A long one lasts until the last delayed message has come. */
  let pause: 'none' | 'short' | 'long' = 'none';
  let started = 0;

  function isStalling({ name, pending }: Invocation): boolean {
    if (stalling === 0 || !pending.some(({ text }) => text.startsWith('update '))) return false;
    const isStalled = stalls.get(name) ?? random.chance(stalling);
    stalls.set(name, isStalled);
    return isStalled;
  }

  return {
    isStalling,
    release: ({ name }: Invocation) => stalls.set(name, false),
    /** Undefined if applications do not pause. */
    next(): Step | undefined {
      if (random.chance(pauses)) pause = random.pick(['short', 'long']);
      if (pause === 'none') return undefined;
      started += 1;
      const left = pendingSteps(world, `pause ${started}`, ['propagate'], 50, isStalling);
      const step = left.length === 0 ? undefined : random.pick(left);
      if (step === undefined || (step.do === 'wait' && pause === 'short')) pause = 'none';
      return pause === 'none' ? undefined : step;
    },
  };
}
