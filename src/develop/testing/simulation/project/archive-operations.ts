import type { Item, ItemKey } from '../../../../model/item.ts';
import type { AnyKind } from '../../../../model/kind.ts';
import { type Operation, type Operations, put, set, type Workload } from '../workload.ts';
import { changed } from './changed.ts';
import { itemWith } from './kind-values.ts';
import type { Project } from './project.ts';

/** An application that writes items of an archived kind: they expire soon, again and again, and some are deleted before. */
export function archiveOperations({ registry, valuesOf }: Project, kind: AnyKind): Operations {
  const values = valuesOf(kind);
  const { ttl } = registry.table;
  const [frequent, ...others] = values.keys;
  // Lives of one item follow each other only where most writes are to the same key.
  const someKey = ({ random }: Workload): ItemKey =>
    frequent === undefined || (others.length > 0 && random.chance(0.2)) ? random.pick(others) : frequent;
  const expiring = (workload: Workload, key: ItemKey): Item => ({
    ...itemWith(registry, values, key, workload.random),
    [ttl]: soon(workload),
  });
  const hide: Operation = (workload) => [put(expiring(workload, someKey(workload)))];
  const change: Operation = (workload) => changed(workload, values, someKey(workload));
  const extend: Operation = (workload) => [set(someKey(workload), { [ttl]: soon(workload) })];
  const forget: Operation = (workload) => [{ delete: someKey(workload) }];
  const renew: Operation = (workload) => {
    const key = someKey(workload);
    return [{ delete: key }, put(expiring(workload, key))];
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
function soon({ random, world }: Workload) {
  return { N: String(world.clock.seconds() + random.int(-5, 5)) };
}
