import { describe, expect, test } from 'vitest';
import application from '../../denorm.config.ts';
import { projectOf } from '../../src/examples/project-examples.ts';
import { Random } from '../../src/examples/random.ts';
import { choicesIn } from '../../src/simulator/exhaustive/choices.ts';
import {
  after,
  explore,
  hashOf,
  type SmallWorld,
  startOf,
  worldAt,
} from '../../src/simulator/exhaustive/explore.ts';
import { smallWorlds } from '../../src/simulator/exhaustive/small-worlds.ts';
import type { Step } from '../../src/simulator/world/step.ts';
import { realFunctions } from '../../src/simulator/world/worker-under-test.ts';
import type { TablePort } from '../../src/worker/ports.ts';
import { likes } from '../simulation/likes-rules.ts';

const worlds = [application.registry(), likes(1)].flatMap((registry) =>
  smallWorlds(projectOf(registry).project),
);

function worldOf(name: string, faults = 1): SmallWorld {
  const found = worlds.find((one) => one.name === name);
  if (found === undefined) throw new Error(`Expected a world ${name}`);
  return { ...found, faults };
}

/** A run that goes on by choices at random. */
async function walk(world: SmallWorld, seed: number) {
  const random = new Random(seed);
  const at = await worldAt(world, []);
  let left = startOf(world);
  const steps: Step[] = [];
  const met: { hash: string; steps: readonly Step[]; left: typeof left }[] = [];
  for (
    let choices = choicesIn(at, world.applications, left);
    choices.length > 0;
    choices = choicesIn(at, world.applications, left)
  ) {
    const choice = random.pick(choices);
    await at.take(choice.step);
    left = after(left, choice);
    steps.push(choice.step);
    met.push({ hash: hashOf(world, at, left), steps: [...steps], left });
    if (steps.length > 60) break;
  }
  return met;
}

/** What comes of a state if always the first choice is taken. */
async function futureOf(world: SmallWorld, steps: readonly Step[], from: ReturnType<typeof startOf>) {
  const at = await worldAt(world, steps);
  const texts: string[] = [];
  let left = from;
  for (let choices = choicesIn(at, world.applications, left); choices.length > 0 && texts.length < 80; ) {
    const [first] = [...choices].sort((a, b) => (a.text < b.text ? -1 : 1));
    if (first === undefined) break;
    await at.take(first.step);
    left = after(left, first);
    texts.push(first.text);
    choices = choicesIn(at, world.applications, left);
  }
  return { texts, hash: hashOf(world, at, left), violations: at.findings.violations };
}

describe('every schedule of a small world', { timeout: 120_000 }, () => {
  test.each([
    'incident-on-participations: removal',
    'order-on-user-order: move',
    'order-date-on-items: a late copy',
  ])('of %s is tried, and breaks no promise', async (name) => {
    const { states, ends, finished, violation } = await explore(worldOf(name));

    expect({ finished, violation }).toEqual({ finished: true, violation: undefined });
    expect(states).toBeGreaterThan(500);
    expect(ends).toBeGreaterThan(1);
  });

  test.each([
    ['order-on-user-order: removal', 1],
    ['incident-on-participations: removal', 1],
    ['likes-of-post: members', 0],
  ])('of %s has the same states if every order of independent steps is tried', async (name, faults) => {
    const world = worldOf(name, faults);

    expect((await explore(world)).states).toBe((await explore(world, { isReduced: false })).states);
  });

  test('of a worker that does nothing breaks a promise, in the fewest steps', async () => {
    const { finished, violation } = await explore(worldOf('order-date-on-items: a late copy', 0), {
      functions: { ...realFunctions, propagateBatch: async () => new Map() },
    });

    expect(finished).toBe(false);
    expect(violation?.steps.length).toBeLessThan(7);
    expect(violation?.violations[0]?.what).toBe('a copy is not what its root says');
  });

  test('of a worker that takes a lost condition for done breaks a promise', async () => {
    const taken = async (outcomes: ReturnType<TablePort['update']>) =>
      (await outcomes).map((outcome) => (outcome === 'lost' ? 'written' : outcome));
    const { violation } = await explore(worldOf('incident-on-participations: removal'), {
      functions: {
        ...realFunctions,
        propagateBatch: (context, records) => {
          const { table } = context;
          const careless: TablePort = {
            ...table,
            update: (updates) => taken(table.update(updates)),
            transact: (root, actions) => taken(table.transact(root, actions)),
          };
          return realFunctions.propagateBatch({ ...context, table: careless }, records);
        },
      },
    });

    expect(violation?.violations[0]?.what).toBe('a copy stays as it was though its root went');
  });

  test('has states whose futures are the same if their hashes are', async () => {
    const world = worldOf('order-on-user-order: changes');
    const known = new Map<
      string,
      { readonly steps: readonly Step[]; readonly left: ReturnType<typeof startOf> }
    >();
    let compared = 0;
    for (let seed = 1; seed <= 60; seed += 1)
      for (const { hash, steps, left } of await walk(world, seed)) {
        const before = known.get(hash);
        if (before === undefined) known.set(hash, { steps, left });
        else if (JSON.stringify(before.steps) !== JSON.stringify(steps)) {
          compared += 1;
          expect(await futureOf(world, steps, left)).toEqual(
            await futureOf(world, before.steps, before.left),
          );
        }
      }

    expect(compared).toBeGreaterThan(20);
  });
});
