import type { Aggregate } from '../../../../model/aggregate.ts';
import { type Item, type ItemKey, keyIn } from '../../../../model/item.ts';
import { isOfKind } from '../../../../model/kind.ts';
import { type Operation, type Operations, put, type Workload } from '../workload.ts';
import { changed } from './changed.ts';
import { itemWith } from './kind-values.ts';
import { memberOf } from './members.ts';
import type { Project } from './project.ts';

/** Whoever writes the targets and members of an aggregate: the first act puts a target with some members. */
export function totalsOperations({ registry, valuesOf }: Project, aggregate: Aggregate): Operations {
  const members = valuesOf(aggregate.of);
  const targets = valuesOf(aggregate.on);
  const joining = (workload: Workload, target: Item) => {
    const member = memberOf(registry, aggregate, members, target, workload.random);
    return member === undefined ? [] : [put(member)];
  };
  const someTarget = (workload: Workload): ItemKey => workload.random.pick(targets.keys);
  const someMember = (workload: Workload): ItemKey | undefined => {
    const all = workload.world.table
      .items()
      .filter((item) => isOfKind(registry.table, aggregate.of, item))
      .map((item) => keyIn(registry.table, item));
    return all.length === 0 ? undefined : workload.random.pick(all);
  };
  const found: Operation = (workload) => {
    const target = itemWith(registry, targets, someTarget(workload), workload.random);
    const some = Array.from({ length: workload.random.int(0, 3) }, () => joining(workload, target));
    return [put(target), ...some.flat()];
  };
  const join: Operation = (workload) => {
    const target = workload.seen(someTarget(workload));
    return target === undefined ? [] : joining(workload, target);
  };
  const change: Operation = (workload) => {
    const key = someMember(workload);
    return key === undefined ? [] : changed(workload, members, key);
  };
  const leave: Operation = (workload) => {
    const key = someMember(workload);
    return key === undefined ? [] : [{ delete: key }];
  };
  const scribble: Operation = (workload) => changed(workload, targets, someTarget(workload));
  const close: Operation = (workload) => [{ delete: someTarget(workload) }];
  return [
    [2, found],
    [5, join],
    [5, change],
    [2, leave],
    [2, scribble],
    [0.5, close],
  ];
}
