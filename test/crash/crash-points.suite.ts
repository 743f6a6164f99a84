import { afterAll, describe, expect, test } from 'vitest';
import { type Item, keyOf, keyText } from '../../src/model/item.ts';
import { sameItem } from '../../src/testing/table-model/same-value.ts';
import { shopRegistry, shopRules } from '../fixtures/rules/shop-rules.ts';
import { type ArchiveScene, archiveDifferences, archiveScenes } from './archive-scenes.ts';
import { chatScenes, incidentScenes } from './chat-and-incident-scenes.ts';
import { type CrashPoint, crashPoints } from './crash.ts';
import { CrashingWorker } from './crashing-worker.ts';
import type { MakeScene, Scene } from './scene.ts';
import { orderItemScenes, statusScenes, userOrderScenes } from './shop-scenes.ts';

const registry = shopRegistry();

const scenes: Readonly<Record<string, Readonly<Record<string, MakeScene>>>> = {
  'incident-on-participations': incidentScenes,
  'username-on-memberships': chatScenes,
  'order-status-keys': statusScenes,
  'order-on-user-order': userOrderScenes,
  'order-date-on-items': orderItemScenes,
};

/** Stops a worker at every request of every scene with so many copies, and looks at what the next makes of it. */
export function crashPointSuite(copies: number): void {
  let points = 0;
  afterAll(() => console.log(`${points} crash points with ${copies} copies, each followed to rest`));

  test('every rule has scenes', () => {
    expect(Object.keys(scenes)).toEqual(shopRules);
  });

  describe.each(Object.entries(scenes))(
    `%s, with ${copies} copies, if its worker stops at any request:`,
    (_, made) => {
      test.each(Object.entries(made))('%s', async (_, make) => {
        const scene = make(copies);
        points += await everyPoint(
          (point) => propagated(scene, point),
          (worker) => differences(worker, scene),
        );
      });
    },
  );

  describe(`the archive, with ${copies} items, if its worker stops at any request:`, () => {
    test.each(Object.entries(archiveScenes))('%s', async (_, make) => {
      const scene = make(copies);
      points += await everyPoint(
        (point) => archived(scene, point),
        (worker) => archiveDifferences(worker, scene),
      );
    });
  });
}

/** @returns how many points there were */
async function everyPoint(
  play: (point?: CrashPoint) => Promise<CrashingWorker>,
  classifyCopy: (worker: CrashingWorker) => string[],
): Promise<number> {
  const unhurt = await play();
  expect(classifyCopy(unhurt)).toEqual([]);
  const { requests } = unhurt.first;
  const points = crashPoints(requests);
  expect(points.length).toBeGreaterThan(1);
  for (const point of points) {
    const crashed = await play(point);
    const where = `stopped ${point.moment} request ${point.request}, ${requests[point.request - 1]?.name}`;
    expect(crashed.first.requests, where).toHaveLength(point.request);
    expect(classifyCopy(crashed), where).toEqual([]);
  }
  return points.length;
}

async function propagated(scene: Scene, point?: CrashPoint): Promise<CrashingWorker> {
  const worker = new CrashingWorker(registry, point);
  for (const item of scene.before) worker.table.put(item);
  worker.stream.take();
  scene.change(worker.table);
  await worker.propagate();
  return worker;
}

async function archived(scene: ArchiveScene, point?: CrashPoint): Promise<CrashingWorker> {
  const before = new CrashingWorker(registry);
  scene.before(before);
  await before.keep();
  const worker = before.succeededBy(point);
  scene.change(worker);
  await worker.keep();
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
    ...queue.deadLettered.map(({ code }) => `dead-lettered: ${code}`),
  ];
}

function nameOf(item: Item): string {
  return keyText(keyOf(registry.table, item) ?? { pk: '', sk: '' });
}
