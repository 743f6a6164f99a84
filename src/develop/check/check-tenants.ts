/** Finds rules by which a copy may get the attributes of a foreign tenant's root, because an attribute of the copy names it. */
import { idNames } from '../../model/kind.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { rootNamedBy } from '../../worker/propagation/plan/rule-functions.ts';
import { exampleItem, exampleKey } from './example-items.ts';
import { faultsOf } from './faults-of.ts';
import type { Finding } from './finding.ts';

export function checkTenants({ table, rules }: Registry): readonly Finding[] {
  return rules.flatMap((rule): Finding[] => {
    const id = idFromAttributes(table, rule);
    if (id === undefined) return [];
    const says = `Expected rootOf of rule ${rule.name} to take the ${id} from the copy's key, got it from an attribute, by which whoever writes a copy chooses any root: set tenant: '${id}', or, if a copy and its root may have different ones, give the id of one key another name`;
    return [{ about: 'rules', subject: rule.name, says }];
  });
}

/** An id of both keys that a root does not have from its copy's key, although `tenant` could require it. */
function idFromAttributes(table: TableNames, rule: Rule): string | undefined {
  const { root, copy, reads, located, tenant } = rule;
  const key = exampleKey(copy, 'A');
  if (tenant !== undefined || located.in === 'itself' || reads.copy.length === 0 || key === undefined) return;
  const own = copy.idsOf(key) ?? {};
  const named = ['A', 'BB'].map((seed) => {
    const { result } = faultsOf(() => rootNamedBy(table, rule, exampleItem(table, copy, key, seed)));
    return result && root.idsOf(result);
  });
  return idNames(root).find(
    (id) => Object.hasOwn(own, id) && named.some((ids) => ids !== undefined && ids[id] !== own[id]),
  );
}
