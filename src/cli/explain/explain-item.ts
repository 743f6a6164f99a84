import { whyArchived } from '../../archive/why-archived.ts';
import type { Change } from '../../model/change.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { TablePort } from '../../ports.ts';
import { classify } from '../../propagation/plan/classify.ts';
import { rootOf } from '../../propagation/plan/rule-functions.ts';
import type { Explanation } from './explain-event.ts';
import { planArchiving } from './planned-archive.ts';
import type { PlannedPropagation } from './planned-worker.ts';
import { roundsAfter, type Stage } from './rounds.ts';
import { kindsByKey, kindsOf, type Role, ruleNames } from './subjects.ts';

/**
 * What an item is to each rule as it stands now: as a root, what a propagation would do; as a copy, what a check finds and what
 * the propagation that it calls for would do.
 * @param table where the item is read
 */
export async function explainItem(stage: Stage, table: TablePort, key: ItemKey): Promise<Explanation> {
  const { registry, worker, archive } = stage;
  const item = await table.get(key);
  const roles = item === undefined ? [] : await rolesOf(stage, table, item);
  const seen: Change = { key, before: undefined, after: item, sequence: 0n, expired: false, at: undefined };
  const archived = await planArchiving(registry, worker.table, archive, [seen]);
  const propagations: PlannedPropagation[] = [];
  for (const { as, rule } of roles)
    if (as !== 'copy')
      propagations.push(await worker.propagate({ rule: rule.name, root: key, cause: 'repair', attempts: 0 }));
  const checks = roles.flatMap((role) =>
    item === undefined || role.as !== 'copy' || role.root === undefined
      ? []
      : [{ rule: role.rule, root: role.root, copy: key, image: item }],
  );
  const check = checks.length === 0 ? undefined : await worker.check(checks);
  for (const { message } of check?.propagations ?? []) propagations.push(await worker.propagate(message));
  return {
    subjects: [
      {
        ...{ is: 'item', key, item, roles },
        kinds: item === undefined ? kindsByKey(registry, key) : kindsOf(registry, item),
        rules: ruleNames(registry),
        archives: item === undefined ? [] : whyArchived(registry, seen),
      },
    ],
    first: { changes: 0, propagations, check, archived: archived === undefined ? [] : [archived] },
    after: await roundsAfter(stage, propagations),
  };
}

async function rolesOf({ registry }: Stage, port: TablePort, item: Item): Promise<Role[]> {
  const { table, rules } = registry;
  const roles: Role[] = [];
  for (const rule of rules) {
    const itself = rule.located.in === 'itself';
    if (isOfKind(table, rule.root, item)) roles.push({ as: itself ? 'itself' : 'root', rule });
    if (itself || !isOfKind(table, rule.copy, item)) continue;
    const root = rootOf(table, rule, item);
    if (root === undefined) roles.push({ as: 'copy', rule, root });
    else
      roles.push({
        as: 'copy',
        rule,
        root,
        finding: classify(table, rule, root, await port.get(root), item),
      });
  }
  return roles;
}
