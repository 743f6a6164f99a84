import type { Aggregate } from '../../../../model/aggregate.ts';
import { type Item, type ItemKey, keyIn } from '../../../../model/item.ts';
import { isOfKind } from '../../../../model/kind.ts';
import { type Act, type Acts, put, type Scene } from '../scene.ts';
import { changed } from './changed.ts';
import { itemWith } from './kind-values.ts';
import { memberOf } from './members.ts';
import type { Project } from './project.ts';

/** Whoever writes the targets and members of an aggregate: the first act puts a target with some members. */
export function totalsActs({ registry, valuesOf }: Project, aggregate: Aggregate): Acts {
  const members = valuesOf(aggregate.of);
  const targets = valuesOf(aggregate.on);
  const joining = (scene: Scene, target: Item) => {
    const member = memberOf(registry, aggregate, members, target, scene.random);
    return member === undefined ? [] : [put(member)];
  };
  const someTarget = (scene: Scene): ItemKey => scene.random.pick(targets.keys);
  const someMember = (scene: Scene): ItemKey | undefined => {
    const all = scene.world.table
      .items()
      .filter((item) => isOfKind(registry.table, aggregate.of, item))
      .map((item) => keyIn(registry.table, item));
    return all.length === 0 ? undefined : scene.random.pick(all);
  };
  const found: Act = (scene) => {
    const target = itemWith(registry, targets, someTarget(scene), scene.random);
    const some = Array.from({ length: scene.random.int(0, 3) }, () => joining(scene, target));
    return [put(target), ...some.flat()];
  };
  const join: Act = (scene) => {
    const target = scene.seen(someTarget(scene));
    return target === undefined ? [] : joining(scene, target);
  };
  const change: Act = (scene) => {
    const key = someMember(scene);
    return key === undefined ? [] : changed(scene, members, key);
  };
  const leave: Act = (scene) => {
    const key = someMember(scene);
    return key === undefined ? [] : [{ delete: key }];
  };
  const scribble: Act = (scene) => changed(scene, targets, someTarget(scene));
  const close: Act = (scene) => [{ delete: someTarget(scene) }];
  return [
    [2, found],
    [5, join],
    [5, change],
    [2, leave],
    [2, scribble],
    [0.5, close],
  ];
}
