import type { Random } from '../examples/random.ts';
import { keyOf } from '../model/items/item.ts';
import { pendingSteps } from './pending-steps.ts';
import { faults } from './world/fault-kinds.ts';
import type { Invocation } from './world/invocation.ts';
import { type InvocationStart, type Step, set, streamLabels, type Write } from './world/step.ts';
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

function isEffective(request: string): boolean {
  return /^(create|update|remove|send|dead-letter|put|erase|write) /.test(request);
}

/** Chooses what happens next. Invocations have a pace each: some of them hardly ever get on. */
export function schedulerOf(random: Random, world: World, workload: Workload): () => Step {
  const { profile, table, registry, stream, queue, late } = world;
  const pauses = pausesOf(random, world);
  const paces = new Map<string, number>();
  let started = 0;

  function contend(): Step | undefined {
    const writes = workload.contend();
    return writes.length === 0 ? undefined : { do: 'write', who: 'concurrent writer', writes };
  }

  function serve(running: readonly Invocation[]): Step | undefined {
    const invocation = random.weighted(running.map((one) => [paceOf(one), one] as const));
    if (invocation === undefined || invocation.pending.length === 0) return undefined;
    const { name, task } = invocation;
    const request = random.pick(invocation.pending).text;
    if (random.chance(profile.crash))
      return { do: 'crash', invocation: name, served: random.chance(0.5) ? request : undefined };
    // A sweep makes many requests before it writes anything.
    const more = random.chance(0.4) ? random.int(1, task === 'sweep' ? 24 : 8) : 0;
    // A read that comes late is one that timed out.
    const fault = faults.find(
      (one) => random.chance(profile.faults[one]) && (one !== 'late' || isEffective(request)),
    );
    return { do: 'serve', invocation: name, request, fault, more };
  }

  function goOn(stalling: readonly Invocation[]): Step | undefined {
    const one = random.pick(stalling);
    pauses.release(one);
    return serve([one]);
  }

  function paceOf({ name }: Invocation): number {
    const pace = paces.get(name) ?? random.pick([1, 1, 4, 0.03]);
    paces.set(name, pace);
    return pace;
  }

  function read(): Step | undefined {
    const reader = random.chance(profile.archiving) ? 'archive' : 'propagate';
    const again = random.chance(profile.again) ? random.pick(['doubled', 'older'] as const) : 'next';
    const readable = stream.shards[reader].flatMap((shard, index) => {
      const { current, position } = shard;
      const fits = { next: shard.hasMore() && current === undefined, doubled: current, older: position > 0 };
      return fits[again] ? [index] : [];
    });
    if (readable.length === 0) return undefined;
    return {
      do: 'read',
      reader,
      again,
      shard: random.pick(readable),
      most: profile.longBatches ? random.int(8, 12) : random.int(1, 6),
      back: random.int(1, 20),
      ...start(),
    };
  }

  // What is read in parts is often left between two of them.
  const shortTime = profile.readAtOnce === Number.POSITIVE_INFINITY ? profile.shortTime : 0.6;

  function start(): InvocationStart {
    started += 1;
    return {
      name: `i${started}`,
      requestsInTime: random.chance(shortTime) ? random.int(0, 8) : undefined,
    };
  }

  function expire(): Step | undefined {
    const due = table.due();
    const key = due.length === 0 ? undefined : keyOf(table.names, random.pick(due));
    if (key === undefined || random.chance(0.6)) return key && { do: 'expire', key };
    // Until the service deletes it, an item whose time has passed may still be written.
    return { do: 'write', who: 'late writer', writes: [set(key, { touched: { N: String(started) } })] };
  }

  function addMalformed(): Step {
    if (random.chance(0.5))
      return { do: 'malformed-record', shard: random.int(0, stream.shards.propagate.length - 1) };
    return { do: 'malformed-message', body: random.pick(malformedMessages) };
  }

  function conditions(): Step {
    const { lag, lateness, skew } = profile;
    const upTo = (most: number): number => Math.floor(random.pick([0, 0.5, 1]) * most);
    return { do: 'conditions', lag: upTo(lag), lateness: upTo(lateness), skew: upTo(skew) - upTo(skew) };
  }

  function repair(): Step | undefined {
    const rules = [...registry.rules, ...registry.aggregates];
    if (rules.length === 0) return undefined;
    const rule = random.pick(rules);
    const kind = rule.is === 'aggregate' ? rule.on : rule.root;
    const roots = table.items().flatMap((item) => {
      const key = keyOf(table.names, item);
      return key !== undefined && kind.idsOf(key) !== undefined ? [key] : [];
    });
    return roots.length === 0 ? undefined : { do: 'repair', rule: rule.name, root: random.pick(roots) };
  }

  function pause(): Step {
    const rules = [...registry.rules, ...registry.aggregates];
    return {
      do: 'pause',
      rule: rules.length > 0 && random.chance(0.6) ? random.pick(rules).name : undefined,
    };
  }

  return () => {
    // What waits for the end of a pause never comes to rest.
    const paused = world.pausedSince.size > 0 ? undefined : pauses.next();
    if (paused !== undefined) return paused;
    const all = world.deliveries.map(({ invocation }) => invocation);
    const stalling = all.filter(pauses.isStalling);
    const running = all.filter((one) => !stalling.includes(one));
    // Removals are few: they are not over before somebody else has had a chance.
    const removing = running.some(({ pending }) => pending.some((one) => one.text.startsWith('remove ')));
    const room = all.length < profile.maxInvocations ? 1 : 0;
    const chosen = random.weighted<() => Step | undefined>([
      [profile.writeWeight, workload.write],
      [all.length > 0 || late.texts().length > 0 ? profile.contention * (removing ? 4 : 1) : 0, contend],
      [running.length > 0 ? 5 : 0, () => serve(running)],
      [room * 2, read],
      [
        room * (queue.due().length > 0 ? 1.5 : 0),
        () => ({ do: 'receive', skip: random.int(0, 5), most: random.int(1, 3), ...start() }),
      ],
      [
        room * (queue.inFlight().length > 0 ? profile.twiceAtOnce : 0),
        () => ({ do: 'receive', again: true, skip: random.int(0, 5), most: random.int(1, 3), ...start() }),
      ],
      [0.4, () => ({ do: 'wait', milliseconds: random.pick([5, 1000, 20_000, 59_000]) })],
      [0.35, expire],
      [0.15, conditions],
      [profile.again * 0.3, () => ({ do: 'duplicate-message', back: random.int(0, 3) })],
      [late.texts().length > 0 ? 0.4 : 0, () => ({ do: 'take-effect', request: random.pick(late.texts()) })],
      [profile.otherStreams, () => ({ do: 'stream', label: random.pick(streamLabels) })],
      [world.deployments.oracles.length > 1 ? 0.05 : 0, () => ({ do: 'deploy' })],
      [0.03, () => ({ do: 'redrive' })],
      [0.05, repair],
      [profile.pausing, pause],
      [room * profile.sweeping, () => ({ do: 'sweep', ...start() })],
      [profile.malformed, addMalformed],
      [stalling.length > 0 ? 0.2 : 0, () => goOn(stalling)],
    ]);
    return chosen?.() ?? { do: 'wait', milliseconds: 1 };
  };
}

/** Nobody else writes and nothing fails: what is wrong then, no other record mends, and the write of an invocation that stalled is the last. */
function pausesOf(random: Random, world: World) {
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
