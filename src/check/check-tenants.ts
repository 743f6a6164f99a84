import { exampleItem, exampleKey } from '../examples/numbered-items.ts';
import { idNames } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import type { Registry } from '../model/rules/registry.ts';
import { rootNamedBy } from '../plan/rule-functions.ts';
import { type Finding, findings } from './finding.ts';
import { tryFunction } from './try-function.ts';

/** Finds rules by which a copy may get the attributes of a foreign tenant's root, because an attribute of the copy names it. */
export function checkTenants({ rules }: Registry): readonly Finding[] {
  return rules.flatMap((rule): Finding[] => {
    const id = idFromAttributes(rule);
    if (id === undefined) return [];
    const message = `Expected rootOf of rule ${rule.name} to take the ${id} from the copy's key, got it from an attribute, by which whoever writes a copy chooses any root: set tenant: '${id}', or, if a copy and its root may have different ones, give the id of one key another name`;
    return findings('rules', rule.name, [message]);
  });
}

/** An id of both keys that a root does not have from its copy's key, although `tenant` could require it. */
function idFromAttributes(rule: BoundRule): string | undefined {
  const { root, copy, reads, located, tenant } = rule;
  const key = exampleKey(copy, 0);
  if (tenant !== undefined || located.in === 'itself' || reads.copy.length === 0 || key === undefined) return;
  const own = copy.idsOf(key) ?? {};
  const copies = [0, 1].map((number) => exampleItem(rule.table, copy, key, number));
  const { passed } = tryFunction({ what: 'rootOf', kind: copy }, copies, (one) => rootNamedBy(rule, one));
  const named = passed.map(({ result }) => result && root.idsOf(result));
  return idNames(root).find(
    (id) => Object.hasOwn(own, id) && named.some((ids) => ids !== undefined && ids[id] !== own[id]),
  );
}
