import { expect, test } from 'vitest';
import shipped from '../../../denorm.config.ts';
import { type Scene, scenes } from '../../../scripts/smoke/propagations.ts';
import { playScene } from '../../../scripts/smoke/run-scenes.ts';
import { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { keyIn } from '../../../src/model/item.ts';
import { table } from '../../../src/table.ts';

const shards = 3;
const registry = shipped.registry({ parameters: { StatusShards: shards }, disabled: [] });

/** Plays a scene on the model: the worker works whenever something is waited for. */
function play(scene: Scene, worker: ModelWorker, work = () => worker.rest()) {
  return playScene(
    {
      table: { get: async (key) => worker.table.read(key) },
      items: {
        put: async (item) => void worker.table.put(item),
        change: async (item) => void worker.table.put(item),
        remove: async (key) => void worker.table.delete(key),
      },
      wait: {
        async until(_, look) {
          await work();
          return look();
        },
      },
      stackName: 'app',
    },
    scene,
  );
}

test('there is a scene for each shipped rule and aggregate', () => {
  const shown = scenes('run', shards).map(({ rule }) => rule);

  expect(shown).toEqual([...registry.rules, ...registry.aggregates].map(({ name }) => name));
});

test.each(scenes('run', shards))('$rule does what its scene expects', async (scene) => {
  const worker = new ModelWorker(registry);
  const lines = await play(scene, worker);

  expect(lines.map(({ status }) => status)).toEqual(lines.map(() => 'passed'));
  expect(lines).toHaveLength(scene.copiesGo ? 2 : 1);
});

test.each(scenes('run', shards))(
  'without the worker, the scene of $rule fails and says what to do',
  async (scene) => {
    const lines = await play(scene, new ModelWorker(registry), async () => {});

    expect(lines).toMatchObject([{ status: 'failed', action: expect.stringContaining('sam logs') }]);
  },
);

test.each(scenes('run', shards))('removing the items of $rule leaves no dead letter', async (scene) => {
  const worker = new ModelWorker(registry);
  for (const item of [scene.root, ...scene.copies, scene.changed]) worker.table.put(item);
  // Some of the work is done, some is still to come when the items are gone.
  await worker.rest(1);
  worker.table.put(scene.root);
  for (const item of [scene.root, ...scene.copies]) worker.table.delete(keyIn(table, item));
  await worker.rest();

  expect(worker.queue.deadLettered).toEqual([]);
  expect(worker.table.items()).toEqual([]);
});
