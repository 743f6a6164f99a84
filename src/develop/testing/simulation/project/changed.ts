import type { ItemKey } from '../../../../model/item.ts';
import { drop, set, type Workload } from '../workload.ts';
import type { Write } from '../world/step.ts';
import { type KindValues, randomValue } from './kind-values.ts';

/** One or two attributes of an item that is there get other values. */
export function changed(
  workload: Workload,
  { pools }: KindValues,
  key: ItemKey,
  isWanted = (_: string) => true,
): readonly Write[] {
  const there = workload.now(key);
  const names = [...pools.keys()].filter(isWanted);
  if (there === undefined || names.length === 0) return [];
  return [workload.random.pick(names), workload.random.pick(names)]
    .slice(0, workload.random.int(1, 2))
    .map((name) => {
      const value = randomValue(pools.get(name) ?? [], workload.random);
      return value === undefined ? drop(key, name) : set(key, { [name]: value });
    });
}
