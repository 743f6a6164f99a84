import type { Item, ItemKey } from '../../../../model/item.ts';
import type { AnyKind } from '../../../../model/kind.ts';
import { type Act, type Acts, put, type Scene, set } from '../scene.ts';
import { changed } from './changed.ts';
import { itemWith } from './kind-values.ts';
import type { Project } from './project.ts';

/** An application that writes items of an archived kind: they expire soon, again and again, and some are deleted before. */
export function archiveActs({ registry, valuesOf }: Project, kind: AnyKind): Acts {
  const values = valuesOf(kind);
  const { ttl } = registry.table;
  const [frequent, ...others] = values.keys;
  // Lives of one item follow each other only where most writes are to the same key.
  const someKey = ({ random }: Scene): ItemKey =>
    frequent === undefined || (others.length > 0 && random.chance(0.2)) ? random.pick(others) : frequent;
  const expiring = (scene: Scene, key: ItemKey): Item => ({
    ...itemWith(registry, values, key, scene.random),
    [ttl]: soon(scene),
  });
  const hide: Act = (scene) => [put(expiring(scene, someKey(scene)))];
  const change: Act = (scene) => changed(scene, values, someKey(scene));
  const extend: Act = (scene) => [set(someKey(scene), { [ttl]: soon(scene) })];
  const forget: Act = (scene) => [{ delete: someKey(scene) }];
  const renew: Act = (scene) => {
    const key = someKey(scene);
    return [{ delete: key }, put(expiring(scene, key))];
  };
  return [
    [4, hide],
    [3, change],
    [2, extend],
    [1.2, forget],
    [0.4, renew],
  ];
}

/** In epoch seconds: it may be due at once. */
function soon({ random, world }: Scene) {
  return { N: String(world.clock.seconds() + random.int(-5, 5)) };
}
