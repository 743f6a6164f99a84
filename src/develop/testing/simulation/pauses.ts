import { pendingSteps } from './pending-steps.ts';
import type { Random } from './random.ts';
import type { Invocation } from './world/invocation.ts';
import type { Step } from './world/step.ts';
import type { World } from './world/world.ts';

/** Nobody else writes and nothing fails: what is wrong then, no other record mends, and the write of an invocation that stalled is the last. */
export class Pauses {
  private readonly random: Random;
  private readonly world: World;
  private readonly stalls = new Map<string, boolean>();
  /** A long one lasts until the last delayed message has come. */
  private pause: 'none' | 'short' | 'long' = 'none';
  private started = 0;

  constructor(random: Random, world: World) {
    this.random = random;
    this.world = world;
  }

  /** Undefined if applications do not pause. */
  next(): Step | undefined {
    const { random, world } = this;
    if (random.chance(world.profile.pauses)) this.pause = random.pick(['short', 'long']);
    if (this.pause === 'none') return undefined;
    this.started += 1;
    const name = `pause ${this.started}`;
    const isStalling = (one: Invocation) => this.isStalling(one);
    const left = pendingSteps(world, { name, readers: ['propagate'], isStalling, more: 50 });
    const step = left.length === 0 ? undefined : random.pick(left);
    if (step === undefined || (step.do === 'wait' && this.pause === 'short')) this.pause = 'none';
    return this.pause === 'none' ? undefined : step;
  }

  isStalling({ name, pending }: Invocation): boolean {
    const { stalling } = this.world.profile;
    if (stalling === 0 || !pending.some(({ text }) => text.startsWith('update '))) return false;
    const stalls = this.stalls.get(name) ?? this.random.chance(stalling);
    this.stalls.set(name, stalls);
    return stalls;
  }

  release({ name }: Invocation): void {
    this.stalls.set(name, false);
  }
}
