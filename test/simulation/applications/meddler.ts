import { drop, put, type Scene, set, text } from '../../../src/develop/testing/simulation/scene.ts';
import type { Write } from '../../../src/develop/testing/simulation/world/step.ts';
import { type Item, type ItemKey, keyText } from '../../../src/model/item.ts';
import { textOf } from '../oracle/attributes.ts';

/** What stands between a worker and what it is about to write, so often that it happens in every run. */
export function meddle(scene: Scene): readonly Write[] {
  const { random, world } = scene;
  const pending = world.deliveries.flatMap(({ invocation }) => invocation.pending.map((one) => one.text));
  const writes = pending.flatMap((line) => {
    const [, verb, keys] = /^(update|remove) (\[.*\])$/.exec(line) ?? [];
    return verb === undefined || keys === undefined ? [] : [{ verb, keys }];
  });
  if (writes.length === 0) return [];
  // Removals are few, and what is lost of them nothing else brings back.
  const removals = writes.filter(({ verb }) => verb === 'remove');
  const { verb, keys } = random.pick(removals.length > 0 && random.chance(0.9) ? removals : writes);
  const copy = world.table.items().find((item) => keyText(keyIn(item)) === keys);
  if (copy === undefined) return [];
  if (verb === 'update' && random.chance(0.3)) return overtake(scene, copy);
  return verb === 'remove' && random.chance(0.3) ? revive(scene, copy) : scribble(scene, copy);
}

/** The root of what is about to be written changes once more, so that another propagation is after the same copy. */
function overtake(scene: Scene, copy: Item): readonly Write[] {
  const relation = scene.world.judge.relationsOf(copy)[0];
  const root = relation?.rootOf(copy);
  const attribute = relation && lookedAt[relation.rule];
  if (root === undefined || attribute === undefined || attribute === 'ProductId') return [];
  return [set(root, { [attribute]: text(scene.fresh()) })];
}

/** A root that is gone comes back, or goes back to where this copy stands. */
function revive(scene: Scene, copy: Item): readonly Write[] {
  const { judge, table } = scene.world;
  const relation = judge.relationsOf(copy)[0];
  const root = relation?.rootOf(copy);
  if (relation === undefined || root === undefined) return [];
  const placing = judge.lives
    .of(root)
    .findLast(({ item }) => item !== undefined && relation.locations(item, copy) === true)?.item;
  if (placing === undefined) return [];
  if (table.read(root) === undefined) return [put(placing)];
  const { UserId, CreatedAt, Shelf } = placing;
  return [set(root, { ...(UserId && { UserId }), ...(CreatedAt && { CreatedAt }), ...(Shelf && { Shelf }) })];
}

/** For each rule, an attribute of a copy that the worker has looked at when it writes one. */
const lookedAt: Readonly<Record<string, string>> = {
  'incident-on-participations': 'Title',
  'username-on-memberships': 'username',
  'order-on-user-order': 'Status',
  'order-status-keys': 'Status',
  'order-date-on-items': 'ProductId',
  'board-on-pins': 'Name',
};

function scribble(scene: Scene, copy: Item): readonly Write[] {
  const key = keyIn(copy);
  const relation = scene.world.judge.relationsOf(copy)[0];
  // What is no copy is only written by a sweep, which looks at all of it.
  if (relation === undefined)
    return [set(key, { [key.sk === 'data' ? 'Details' : 'Title']: text(scene.fresh()) })];
  const attribute = lookedAt[relation.rule];
  if (attribute === undefined) return [];
  return [scene.random.chance(0.8) ? set(key, { [attribute]: text(scene.fresh()) }) : drop(key, attribute)];
}

function keyIn(item: Item): ItemKey {
  return { pk: textOf(item, 'PK') ?? '', sk: textOf(item, 'SK') ?? '' };
}
