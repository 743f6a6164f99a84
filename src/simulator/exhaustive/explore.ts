import { createHash } from 'node:crypto';
import { type Item, keyText } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { defaultSettings } from '../../worker/ports.ts';
import { keysAtOnce, mostBytes } from '../../worker/propagation/item-memory.ts';
import { type FaultProfile, faultProfileOf } from '../fault-profile.ts';
import { checkDeadLetters } from '../oracle/dead-letters.ts';
import { driftOf } from '../oracle/drift.ts';
import type { Violation } from '../oracle/findings.ts';
import type { Step, Write } from '../world/step.ts';
import type { Functions } from '../world/worker-under-test.ts';
import { World } from '../world/world.ts';
import { areIndependent, type Choice, choicesIn, type Left } from './choices.ts';

/** A world so small that every schedule of it can be tried. */
export interface SmallWorld {
  readonly name: string;
  readonly registry: Registry;
  /** What is in the table, and seen by the worker, before anything happens. */
  readonly items: readonly Item[];
  /** What each application writes, one after another; applications in any order. */
  readonly applications: readonly (readonly Write[])[];
  /** The most faults that happen: a duplicate, a crash of an invocation or a throttled request, whenever it may be. */
  readonly faults: number;
  /** How late indexes are, in milliseconds. */
  readonly lag: number;
  /** The shards of the stream. Default: 2. With one, a batch may have the records of root and copy. */
  readonly shards?: number;
}

export interface Explored {
  readonly states: number;
  /** The states at which nothing was left to do. */
  readonly ends: number;
  /** False if it was stopped before. */
  readonly finished: boolean;
  /** The shortest there is, if any, and its steps. */
  readonly violation?:
    | { readonly steps: readonly Step[]; readonly violations: readonly Violation[] }
    | undefined;
}

export interface Exploring {
  readonly functions?: Functions | undefined;
  /** Whether of independent steps only one order is tried. Default: true. */
  readonly isReduced?: boolean;
  /** Ends after so many states. */
  readonly most?: number;
  /** Called now and then with what was found so far. */
  readonly onStates?: (so: Explored) => void;
}

interface Frame {
  readonly left: Left;
  /** The choices that are still to be taken. */
  readonly choices: Choice[];
  /** The choices that need not be taken: another order of the same steps has led there. */
  readonly sleeping: Map<string, Choice>;
}

/** The world that these steps lead to. */
export async function worldAt(
  small: SmallWorld,
  steps: readonly Step[],
  functions?: Functions,
): Promise<World> {
  const world = new World({ registry: { ...small.registry }, profile: profileOf(small) }, functions, true);
  for (const item of small.items) world.table.put(item);
  for (const shards of Object.values(world.stream.shards))
    for (const shard of shards) shard.position = shard.log.length;
  world.table.indexes.lag = small.lag;
  for (const step of steps) await world.take(step);
  return world;
}

/** Whether nothing is left to do, unless something goes wrong: then everything must be as it should be. */
function checkEnd(small: SmallWorld, world: World, choices: readonly Choice[], left: Left): boolean {
  if (choices.some(({ isFault }) => !isFault)) return false;
  checkDeadLetters(world, left.faults < small.faults);
  for (const { what, rule, item } of driftOf(world).drift)
    world.findings.violated(1, what, `${rule} ${item.pk} ${item.sk}`);
  return true;
}

/** Equal if and only if everything that decides the future, and what is thought of it, is equal. */
export function hashOf({ items }: SmallWorld, world: World, left: Left): string {
  const { table, stream, queue, deliveries } = world;
  /** Of each item, in the order of its own changes; how those of others fall between is seen on the shards alone. */
  const versions: Record<string, unknown[]> = {};
  const names = new Map<string, string>();
  for (const { key, after, by, sequence } of table.history.slice(items.length)) {
    const text = keyText(key);
    versions[text] = [...(versions[text] ?? []), [after, by]];
    names.set(String(sequence), `${text} ${versions[text].length}`);
  }
  const nameOf = ({ id }: { readonly id: string }) => names.get(id);
  const history = Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1));
  const shards = stream.shards.propagate.map(({ position, attempts, current, log }) => {
    const batch = [current?.from, current?.to, current?.invocation.name];
    return [position, attempts, log.map(nameOf), ...batch];
  });
  const running = deliveries.map(({ invocation, messages, records, shard }) => {
    const { task, answers = [], pending } = invocation;
    // Two invocations may have the same records of a shard: the position moves when the current one ends.
    const moves = shard === undefined ? undefined : shard.current?.invocation === invocation;
    const given = [task, messages.map(({ body }) => body), records.map(nameOf), moves];
    return JSON.stringify([...given, answers.toSorted(), pending.map(({ text }) => text).sort()]);
  });
  const inQueue = queue.state(left.faults > 0);
  const state = [left, history, table.indexes.state(), shards, inQueue, running.sort()];
  return createHash('md5').update(JSON.stringify(state)).digest('base64');
}

function profileOf({ registry, shards = 2 }: SmallWorld): FaultProfile {
  return {
    ...faultProfileOf(1, registry),
    settings: { ...defaultSettings, rounds: 2, concurrency: 16 },
    partitionUnits: Number.POSITIVE_INFINITY,
    shards,
    outage: 0,
    memory: mostBytes(keysAtOnce),
  };
}

export function startOf({ applications, faults }: SmallWorld): Left {
  return { changes: applications.map(() => 0), faults };
}

export function after({ changes, faults }: Left, { application, isFault }: Choice): Left {
  return {
    changes: changes.map((done, index) => (index === application ? done + 1 : done)),
    faults: isFault ? faults - 1 : faults,
  };
}

/** Tries every schedule, deepest first; of independent steps only one order. */
export async function explore(small: SmallWorld, exploring: Exploring = {}): Promise<Explored> {
  const { functions, isReduced = true, most = Number.POSITIVE_INFINITY, onStates = () => {} } = exploring;
  /** By the hash of a state, the texts of the choices that were asleep whenever it was entered. */
  const seen = new Map<string, ReadonlySet<string>>();
  const steps: Step[] = [];
  const frames: Frame[] = [];
  let ends = 0;
  let world: World | undefined = await worldAt(small, [], functions);

  /** A frame with what is to be tried from this state; none if all has been. */
  function enter(at: World, left: Left, sleeping: Map<string, Choice>): void {
    const hash = hashOf(small, at, left);
    const before = seen.get(hash);
    const all = choicesIn(at, small.applications, left);
    if (before === undefined && checkEnd(small, at, all, left)) ends += 1;
    const asleep = new Set([...sleeping.keys()].filter((text) => before?.has(text) ?? true));
    seen.set(hash, asleep);
    const choices = all.filter(({ text }) => (before?.has(text) ?? true) && !sleeping.has(text));
    frames.push({ left, choices: [...choices].reverse(), sleeping });
  }

  enter(world, startOf(small), new Map());
  for (let tick = 1; frames.length > 0 && seen.size < most; tick += 1) {
    const frame = frames.at(-1);
    const choice = frame?.choices.pop();
    if (world !== undefined && world.findings.violations.length > 0) {
      const { violations } = world.findings;
      const violation = (await shortest(small, exploring)) ?? { steps, violations };
      return { states: seen.size, ends, finished: false, violation };
    }
    if (frame === undefined || choice === undefined) {
      frames.pop();
      steps.pop();
      world = undefined;
      continue;
    }
    if (tick % 256 === 0) {
      onStates({ states: seen.size, ends, finished: false });
      // Signals and timers get their turn.
      await new Promise((done) => setImmediate(done));
    }
    world ??= await worldAt(small, steps, functions);
    await world.take(choice.step);
    steps.push(choice.step);
    const sleeping = [...frame.sleeping].filter(([, one]) => isReduced && areIndependent(one, choice));
    frame.sleeping.set(choice.text, choice);
    enter(world, after(frame.left, choice), new Map(sleeping));
  }
  return { states: seen.size, ends, finished: frames.length === 0 };
}

/** The fewest steps that break a promise: every schedule, shortest first. */
async function shortest(
  small: SmallWorld,
  { functions, onStates = () => {} }: Exploring,
): Promise<Explored['violation']> {
  const seen = new Set<string>();
  let level: { readonly steps: readonly Step[]; readonly left: Left }[] = [
    { steps: [], left: startOf(small) },
  ];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { steps, left } of level) {
      onStates({ states: seen.size, ends: 0, finished: false });
      await new Promise((done) => setImmediate(done));
      const world = await worldAt(small, steps, functions);
      const choices = choicesIn(world, small.applications, left);
      checkEnd(small, world, choices, left);
      const { violations } = world.findings;
      if (violations.length > 0) return { steps, violations };
      const hash = hashOf(small, world, left);
      if (seen.has(hash)) continue;
      seen.add(hash);
      for (const choice of choices) next.push({ steps: [...steps, choice.step], left: after(left, choice) });
    }
    level = next;
  }
  return undefined;
}
