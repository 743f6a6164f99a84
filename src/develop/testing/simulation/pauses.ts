import type { Random } from './random.ts';
import type { Invocation } from './world/invocation.ts';
import type { Step } from './world/step.ts';
import type { World } from './world/world.ts';

/**
 * Times in which applications pause, and nothing fails: the worker gets to the end of its records and messages, except for
 * invocations that stall just before they write. What is wrong then, no record of something else mends; and what an
 * invocation writes that stalled is the last that happens to that item.
 */
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

  /** What the worker does next while applications pause; undefined if they do not. */
  next(): Step | undefined {
    const { random, world } = this;
    if (random.chance(world.profile.pauses)) this.pause = random.pick(['short', 'long']);
    const step = this.pause === 'none' ? undefined : this.left();
    if (step === undefined) this.pause = 'none';
    return step;
  }

  /** Whether this invocation is about to write, and stalls. */
  isStalling({ name, pending }: Invocation): boolean {
    const { stalling } = this.world.profile;
    if (stalling === 0 || !pending.some(({ text }) => text.startsWith('update '))) return false;
    const stalls = this.stalls.get(name) ?? this.random.chance(stalling);
    this.stalls.set(name, stalls);
    return stalls;
  }

  /** Lets an invocation that stalls go on. */
  release({ name }: Invocation): void {
    this.stalls.set(name, false);
  }

  private left(): Step | undefined {
    const { random, world, pause } = this;
    const { clock, queue, stream, deliveries } = world;
    const running = deliveries.flatMap(({ invocation }) =>
      invocation.pending.length === 0 || this.isStalling(invocation) ? [] : [invocation],
    );
    if (running.length > 0) {
      const { name, pending } = random.pick(running);
      const request = random.pick(pending).text;
      return { do: 'serve', invocation: name, request, fault: undefined, more: 50 };
    }
    const unread = stream.shards.propagate.flatMap((shard, index) =>
      shard.hasMore() && shard.current === undefined ? [index] : [],
    );
    if (unread.length > 0) {
      const shard = random.pick(unread);
      return { do: 'read', reader: 'propagate', shard, again: 'next', back: 0, ...this.start() };
    }
    const due = queue.nextDue();
    if (due === undefined) return undefined;
    if (due <= clock.now) return { do: 'receive', skip: 0, ...this.start() };
    return pause === 'long' ? { do: 'wait', milliseconds: due - clock.now } : undefined;
  }

  private start() {
    this.started += 1;
    return { name: `pause ${this.started}`, requestsInTime: undefined, most: 10 };
  }
}
