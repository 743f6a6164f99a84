import { keyOf } from '../../../model/item.ts';
import { faults } from './oracle/findings.ts';
import { pausesOf } from './pauses.ts';
import type { Random } from './random.ts';
import type { Invocation } from './world/invocation.ts';
import { type Step, set, type Write } from './world/step.ts';
import type { World } from './world/world.ts';

export interface Workload {
  open(): Step | undefined;
  write(): Step | undefined;
  contend(): readonly Write[];
}

/** Bodies of messages that ask for no propagation; the last is of a rule that there is no more. */
const malformedMessages = [
  '',
  '{',
  'null',
  '[]',
  '{"rule":"a-rule","cause":"changed","attempts":0}',
  '{"rule":"a-rule","root":{"pk":"A#1","sk":"A"},"cause":"because","attempts":0}',
  '{"rule":"a-rule","root":{"pk":"A#1","sk":"A"},"cause":"changed","attempts":-1}',
  '{"rule":"gone","root":{"pk":"A#1","sk":"A"},"cause":"changed","attempts":0}',
];

/** Chooses what happens next. Invocations have a pace each: some of them hardly ever get on. */
export class Scheduler {
  readonly workload: Workload;
  private readonly random: Random;
  private readonly world: World;
  private readonly paces = new Map<string, number>();
  private readonly pauses: ReturnType<typeof pausesOf>;
  private started = 0;

  constructor(random: Random, world: World, workload: Workload) {
    this.random = random;
    this.world = world;
    this.workload = workload;
    this.pauses = pausesOf(random, world);
  }

  next(): Step {
    const { random, world, pauses } = this;
    const { profile } = world;
    const paused = pauses.next();
    if (paused !== undefined) return paused;
    const all = world.deliveries.map(({ invocation }) => invocation);
    const stalling = all.filter((one) => pauses.isStalling(one));
    const running = all.filter((one) => !stalling.includes(one));
    // Removals are few: they are not over before somebody else has had a chance.
    const removing = running.some(({ pending }) => pending.some((one) => one.text.startsWith('remove ')));
    const room = all.length < profile.maxInvocations ? 1 : 0;
    const chosen = random.weighted<() => Step | undefined>([
      [profile.writeWeight, () => this.workload.write()],
      [all.length > 0 ? profile.contention * (removing ? 4 : 1) : 0, () => this.contend()],
      [running.length > 0 ? 5 : 0, () => this.serve(running)],
      [room * 2, () => this.read()],
      [room * (world.queue.due().length > 0 ? 1.5 : 0), () => this.receive()],
      [0.4, () => ({ do: 'wait', milliseconds: this.random.pick([5, 1000, 20_000, 59_000]) })],
      [0.35, () => this.expire()],
      [0.15, () => this.conditions()],
      [profile.again * 0.3, () => ({ do: 'duplicate-message', back: random.int(0, 3) })],
      [0.03, () => ({ do: 'redrive' })],
      [0.05, () => this.repair()],
      [room * profile.sweeping, () => ({ do: 'sweep', ...this.start() })],
      [profile.malformed, () => this.addMalformed()],
      [stalling.length > 0 ? 0.2 : 0, () => this.goOn(stalling)],
    ]);
    return chosen?.() ?? { do: 'wait', milliseconds: 1 };
  }

  private contend(): Step | undefined {
    const writes = this.workload.contend();
    return writes.length === 0 ? undefined : { do: 'write', who: 'concurrent writer', writes };
  }

  private serve(running: readonly Invocation[]): Step | undefined {
    const { random, world } = this;
    const { profile } = world;
    const invocation = random.weighted(running.map((one) => [this.paceOf(one), one] as const));
    if (invocation === undefined || invocation.pending.length === 0) return undefined;
    const request = random.pick(invocation.pending).text;
    if (random.chance(profile.crash))
      return { do: 'crash', invocation: invocation.name, served: random.chance(0.5) ? request : undefined };
    // A sweep makes many requests before it writes anything.
    const most = invocation.task === 'sweep' ? 24 : 8;
    const more = random.chance(0.4) ? random.int(1, most) : 0;
    const fault = faults.find((one) => random.chance(profile.faults[one]));
    return { do: 'serve', invocation: invocation.name, request, fault, more };
  }

  private goOn(stalling: readonly Invocation[]): Step | undefined {
    const one = this.random.pick(stalling);
    this.pauses.release(one);
    return this.serve([one]);
  }

  private paceOf({ name }: Invocation): number {
    const pace = this.paces.get(name) ?? this.random.pick([1, 1, 4, 0.03]);
    this.paces.set(name, pace);
    return pace;
  }

  private read(): Step | undefined {
    const { random, world } = this;
    const reader = random.chance(world.profile.archiving) ? 'archive' : 'propagate';
    const again = random.chance(world.profile.again) ? random.pick(['doubled', 'older'] as const) : 'next';
    const fitting = world.stream.shards[reader].flatMap((shard, index) => {
      const { current, position } = shard;
      const fits = { next: shard.hasMore() && current === undefined, doubled: current, older: position > 0 };
      return fits[again] ? [index] : [];
    });
    if (fitting.length === 0) return undefined;
    return {
      do: 'read',
      reader,
      shard: random.pick(fitting),
      most: world.profile.longBatches ? random.int(8, 12) : random.int(1, 6),
      again,
      back: random.int(1, 20),
      ...this.start(),
    };
  }

  private receive(): Step {
    return { do: 'receive', skip: this.random.int(0, 5), most: this.random.int(1, 3), ...this.start() };
  }

  private start(): { name: string; requestsInTime: number | undefined } {
    this.started += 1;
    const { random, world } = this;
    return {
      name: `i${this.started}`,
      requestsInTime: random.chance(world.profile.shortTime) ? random.int(0, 8) : undefined,
    };
  }

  private expire(): Step | undefined {
    const { table } = this.world;
    const due = table.due();
    const key = due.length === 0 ? undefined : keyOf(table.names, this.random.pick(due));
    if (key === undefined || this.random.chance(0.6)) return key && { do: 'expire', key };
    // Until the service deletes it, an item whose time has passed may still be written.
    return { do: 'write', who: 'late writer', writes: [set(key, { touched: { N: String(this.started) } })] };
  }

  private addMalformed(): Step {
    const { random, world } = this;
    if (random.chance(0.5))
      return { do: 'malformed-record', shard: random.int(0, world.stream.shards.propagate.length - 1) };
    return { do: 'malformed-message', body: random.pick(malformedMessages) };
  }

  private conditions(): Step {
    const { lag, lateness, skew } = this.world.profile;
    const { random } = this;
    const upTo = (most: number): number => Math.floor(random.pick([0, 0.5, 1]) * most);
    return { do: 'conditions', lag: upTo(lag), lateness: upTo(lateness), skew: upTo(skew) - upTo(skew) };
  }

  private repair(): Step | undefined {
    const { table, registry } = this.world;
    const rules = [...registry.rules, ...registry.aggregates];
    if (rules.length === 0) return undefined;
    const rule = this.random.pick(rules);
    const kind = 'computes' in rule ? rule.on : rule.root;
    const roots = table.items().flatMap((item) => {
      const key = keyOf(table.names, item);
      return key !== undefined && kind.idsOf(key) !== undefined ? [key] : [];
    });
    return roots.length === 0 ? undefined : { do: 'repair', rule: rule.name, root: this.random.pick(roots) };
  }
}
