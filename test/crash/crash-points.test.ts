import { afterAll, describe, expect, test } from 'vitest';
import { type Item, keyOf, keyText } from '../../src/domain/item.ts';
import { loadRules } from '../../src/rules/index.ts';
import { sameItem } from '../model/same-value.ts';
import { chatScenes, incidentScenes } from './chat-and-incident-scenes.ts';
import { type CrashPoint, crashPoints } from './crash.ts';
import { CrashingWorker } from './crashing-worker.ts';
import type { MakeScene, Scene } from './scene.ts';
import { orderItemScenes, statusScenes, userOrderScenes } from './shop-scenes.ts';

const registry = loadRules({ statusShards: 1, disabled: [] });

const scenes: Readonly<Record<string, Readonly<Record<string, MakeScene>>>> = {
  'incident-on-participations': incidentScenes,
  'username-on-memberships': chatScenes,
  'order-status-keys': statusScenes,
  'order-on-user-order': userOrderScenes,
  'order-date-on-items': orderItemScenes,
};

let points = 0;
afterAll(() => console.log(`${points} crash points of the propagation, each followed to rest`));

test('every rule has scenes', () => {
  expect(Object.keys(scenes)).toEqual(registry.rules.map(({ name }) => name));
});

describe.each(Object.entries(scenes))('a worker that stops at any request of %s', (_, made) => {
  describe.each([1, 25, 100])('with %i copies', (copies) => {
    test.each(Object.entries(made))('leaves nothing that the next does not finish: %s', async (_, make) => {
      const scene = make(copies);
      const unhurt = await play(scene);
      expect(differences(unhurt, scene)).toEqual([]);
      const found: string[] = [];
      for (const point of crashPoints(unhurt.first.requests)) {
        const crashed = await play(scene, point);
        const wrong = differences(crashed, scene);
        if (wrong.length > 0) found.push(`stopped ${textOf(unhurt, point)}: ${wrong.join('; ')}`);
        points += 1;
      }

      expect(unhurt.first.requests.length).toBeGreaterThan(0);
      expect(found).toEqual([]);
    });
  });
});

async function play(scene: Scene, point?: CrashPoint): Promise<CrashingWorker> {
  const worker = new CrashingWorker(registry, point);
  for (const item of scene.before) worker.table.put(item);
  worker.stream.take();
  scene.change(worker.table);
  await worker.propagate();
  return worker;
}

/** How the table differs from what the scene says of it, and what else is not as it should be. */
function differences({ table, queue }: CrashingWorker, { after }: Scene): string[] {
  const wanted = new Map(after.map((item) => [nameOf(item), item]));
  const there = new Map(table.items().map((item) => [nameOf(item), item]));
  const made = table.history.filter(({ by, before }) => by === 'worker' && before === undefined);
  return [
    ...[...wanted]
      .filter(([name, item]) => !sameItem(there.get(name), item))
      .map(([name]) => `${name} ${there.has(name) ? 'is stale' : 'is gone'}`),
    ...[...there.keys()].filter((name) => !wanted.has(name)).map((name) => `${name} is still there`),
    ...made.map(({ key }) => `${keyText(key)} was made by the worker`),
    ...queue.parked.map(({ code }) => `parked: ${code}`),
  ];
}

function nameOf(item: Item): string {
  return keyText(keyOf(registry.table, item) ?? { pk: '', sk: '' });
}

function textOf({ first }: CrashingWorker, { request, moment }: CrashPoint): string {
  return `${moment} request ${request}, ${first.requests[request - 1]?.name}`;
}
