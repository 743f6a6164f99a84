import { afterAll, describe, expect, test } from 'vitest';
import { sameItem } from '../../src/develop/testing/table-model/same-value.ts';
import { type Item, keyOf, keyText } from '../../src/model/item.ts';
import { makeRegistry, type Registry } from '../../src/model/registry.ts';
import { contenderTotals } from '../../src/rules/contender-totals.ts';
import { headToHeadKeys } from '../../src/rules/head-to-head-keys.ts';
import { leaderboardKeys } from '../../src/rules/leaderboard-keys.ts';
import { table } from '../../src/table.ts';
import { shopRegistry, shopRules } from '../fixtures/rules/shop-rules.ts';
import { type ArchiveScene, archiveDifferences, archiveScenes } from './archive-scenes.ts';
import { chatScenes, incidentScenes } from './chat-and-incident-scenes.ts';
import { allMoments, type CrashPoint, crashPoints, type Moment } from './crash.ts';
import { CrashingWorker } from './crashing-worker.ts';
import { type CreationScene, creationRegistry, creationScenes, madeWithoutRoot } from './creation-scenes.ts';
import type { MakeScene, Scene } from './scene.ts';
import { orderItemScenes, statusScenes, userOrderScenes } from './shop-scenes.ts';
import { totalsScenes } from './totals-scenes.ts';

const registry = shopRegistry();

/** An aggregate, with the rule by which it finds its members and the one that follows from its totals. */
const votes = makeRegistry(table, [headToHeadKeys, leaderboardKeys], [], [], [contenderTotals]);

/** Of a target. A change of each of a hundred computes as many targets, each from all of them: minutes for nothing new. */
const maxMembers = 25;

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
          (point) => propagated(registry, scene, point),
          (worker) => differences(worker, scene),
        );
      });
    },
  );

  if (copies <= maxMembers)
    describe(`totals of ${copies} members, if their worker stops at any request:`, () => {
      test.each(Object.entries(totalsScenes))('%s', async (_, make) => {
        const scene = make(copies);
        points += await everyPoint(
          (point) => propagated(votes, scene, point),
          (worker) => differences(worker, scene),
        );
      });
    });

  describe(`a rule that creates, with ${copies} copies, if its worker stops at any request:`, () => {
    test.each(Object.entries(creationScenes))('%s', async (_, make) => {
      const scene = make(copies);
      points += await everyPoint(
        (point) => created(scene, point),
        (worker) => creationDifferences(worker, scene),
        allMoments,
      );
    });
  });

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
  stops?: readonly Moment[],
): Promise<number> {
  const unhurt = await play();
  expect(classifyCopy(unhurt)).toEqual([]);
  const { requests } = unhurt.first;
  const points = crashPoints(requests, stops);
  expect(points.length).toBeGreaterThan(1);
  for (const point of points) {
    const crashed = await play(point);
    const where = `stopped ${point.moment} request ${point.request}, ${requests[point.request - 1]?.name}`;
    expect(crashed.first.requests, where).toHaveLength(point.request);
    expect(classifyCopy(crashed), where).toEqual([]);
  }
  return points.length;
}

async function created(scene: CreationScene, point?: CrashPoint): Promise<CrashingWorker> {
  const worker = new CrashingWorker(creationRegistry, point);
  worker.atCrash = () => scene.atCrash?.change(worker.table);
  return followed(worker, scene);
}

async function propagated(rules: Registry, scene: Scene, point?: CrashPoint): Promise<CrashingWorker> {
  return followed(new CrashingWorker(rules, point), scene);
}

async function followed(worker: CrashingWorker, scene: Scene): Promise<CrashingWorker> {
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
function differences(worker: CrashingWorker, { after }: Scene): string[] {
  const made = worker.table.history.filter(({ by, before }) => by === 'worker' && before === undefined);
  return [
    ...differencesAtRest(worker, after),
    ...made.map(({ key }) => `${keyText(key)} was made by the worker`),
  ];
}

/** The same where the worker makes copies. */
function creationDifferences(worker: CrashingWorker, { after, atCrash }: CreationScene): string[] {
  const left = worker.stopped && atCrash ? atCrash.after : after;
  return [...differencesAtRest(worker, left), ...madeWithoutRoot(worker.table)];
}

function differencesAtRest({ table, queue }: CrashingWorker, after: readonly Item[]): string[] {
  const nameOf = (item: Item) => keyText(keyOf(table.names, item) ?? { pk: '', sk: '' });
  const wanted = new Map(after.map((item) => [nameOf(item), item]));
  const there = new Map(table.items().map((item) => [nameOf(item), item]));
  return [
    ...[...wanted]
      .filter(([name, item]) => !sameItem(there.get(name), item))
      .map(([name]) => `${name} ${there.has(name) ? 'is stale' : 'is gone'}`),
    ...[...there.keys()].filter((name) => !wanted.has(name)).map((name) => `${name} is still there`),
    ...queue.deadLettered.map(({ code }) => `dead-lettered: ${code}`),
  ];
}
