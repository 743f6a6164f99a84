import type { ItemKey } from '../../../../model/item.ts';
import { drop, type Scene, set } from '../scene.ts';
import type { Write } from '../world/step.ts';
import { type KindValues, randomValue } from './kind-values.ts';

/** One or two attributes of an item that is there get other values. */
export function changed(
  scene: Scene,
  { pools }: KindValues,
  key: ItemKey,
  isWanted = (_: string) => true,
): readonly Write[] {
  const there = scene.now(key);
  const names = [...pools.keys()].filter(isWanted);
  if (there === undefined || names.length === 0) return [];
  return [scene.random.pick(names), scene.random.pick(names)].slice(0, scene.random.int(1, 2)).map((name) => {
    const value = randomValue(pools.get(name) ?? [], scene.random);
    return value === undefined ? drop(key, name) : set(key, { [name]: value });
  });
}
