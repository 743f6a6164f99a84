import { type ItemKey, keyIn, sameKey } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import { isRefused } from '../../testing/table-model/impossible-item.ts';
import type { ModelTable } from '../../testing/table-model/model-table.ts';
import type { FaultProfile } from '../fault-profile.ts';
import type { Findings } from '../oracle/findings.ts';
import type { Deployments } from './deployments.ts';
import type { SimulatedQueue } from './simulated-queue.ts';
import { bystander, type Step, type Write } from './step.ts';

interface Surroundings {
  readonly table: ModelTable;
  readonly queue: SimulatedQueue;
  readonly deployments: Deployments;
  readonly findings: Findings;
  readonly profile: FaultProfile;
}

export function write(
  { table, deployments }: Surroundings,
  { who, writes }: Extract<Step, { do: 'write' }>,
): void {
  for (const one of writes) {
    if (who === bystander && 'put' in one) deployments.protect(one.put);
    takeWrite(table, one);
  }
}

/** What DynamoDB would refuse has no effect. */
function takeWrite(table: ModelTable, one: Write): void {
  isRefused(() => {
    if ('put' in one) table.put(one.put, one.on);
    else if ('delete' in one) table.delete(one.delete);
    else table.update(one.update, one, one.on);
  });
}

/** @returns false if its time has not passed */
export function expire({ table }: Surroundings, key: ItemKey): boolean {
  const isDue = table.due().some((item) => sameKey(keyIn(table.names, item), key));
  if (isDue) table.expire(key);
  return isDue;
}

/**
 * A repair of every root comes later: when invocations by the rules before have ended, and indexes show all copies.
 * @returns false if there are no other rules
 */
export function deploy({ deployments, findings, table, queue, profile }: Surroundings): boolean {
  if (!deployments.swap()) return false;
  findings.fault('deployments of other rules');
  const delay = 60 + profile.settings.recheckDelaySeconds;
  for (const item of table.items())
    for (const { name, root } of deployments.registry.rules)
      if (isOfKind(root, item)) queue.repair(name, keyIn(table.names, item), delay);
  return true;
}
