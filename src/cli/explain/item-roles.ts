import { InvalidItemError } from '../../model/errors.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { TablePort } from '../../worker/ports.ts';
import { type Classification, classify, classifyMissing } from '../../worker/propagation/plan/classify.ts';
import { bareCopy } from '../../worker/propagation/plan/root-projection.ts';
import { isExcluded, rootOrFault } from '../../worker/propagation/plan/rule-functions.ts';

/** The role of an item in a rule. For a copy, and for a key at which a copy is missing, includes the result of a check. */
export type Role =
  | {
      readonly as: 'root' | 'itself';
      readonly rule: Rule;
      /** Whether `when` of the rule is false for it. */
      readonly excluded: boolean;
    }
  | {
      readonly as: 'copy';
      readonly rule: Rule;
      readonly root: ItemKey;
      readonly finding: Classification;
      /** Whether there is no item at its key. */
      readonly isMissing?: true;
      readonly fault?: undefined;
    }
  /** It names no root, or `rootOf` fails on it. */
  | {
      readonly as: 'copy';
      readonly rule: Rule;
      readonly root: undefined;
      readonly fault: InvalidItemError | undefined;
    };

/** The role of an item in each rule. */
export async function rolesOf(registry: Registry, port: TablePort, item: Item): Promise<Role[]> {
  const { table, rules } = registry;
  const roles: Role[] = [];
  for (const rule of rules) {
    const itself = rule.located.in === 'itself';
    if (isOfKind(table, rule.root, item))
      roles.push({ as: itself ? 'itself' : 'root', rule, excluded: isExcluded(table, rule, item) });
    if (itself || !isOfKind(table, rule.copy, item)) continue;
    const root = rootOrFault(table, rule, item);
    if (root === undefined || root instanceof InvalidItemError)
      roles.push({ as: 'copy', rule, root: undefined, fault: root });
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

/** The rules that create copies at a key without an item, if the key alone says whose copy that would be. */
export async function rolesOfKey(registry: Registry, port: TablePort, key: ItemKey): Promise<Role[]> {
  const { table, rules } = registry;
  const roles: Role[] = [];
  for (const rule of rules) {
    if (!rule.creates || rule.copy.idsOf(key) === undefined) continue;
    const root = rootOrFault(table, rule, bareCopy(table, rule, key));
    if (root === undefined || root instanceof InvalidItemError) continue;
    const finding = classifyMissing(table, rule, root, await port.get(root), key);
    roles.push({ as: 'copy', rule, root, finding, isMissing: true });
  }
  return roles;
}
