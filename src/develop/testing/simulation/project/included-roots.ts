import type { AttributeValue } from '../../../../model/attribute-value.ts';
import type { Item } from '../../../../model/item.ts';
import type { Rule } from '../../../../model/rule.ts';
import type { TableNames } from '../../../../model/table-names.ts';
import { attributeValue } from '../../plain-values.ts';
import { appliesTo } from '../../relation-of.ts';
import { combinations, type KindValues } from './kind-values.ts';

/** Roots like this one, with other values of what the rule reads, for which its `when` is true. */
export function* includedRoots(
  table: TableNames,
  rule: Rule,
  { pools }: KindValues,
  root: Item,
): Generator<Item, undefined> {
  const read = rule.reads.root.flatMap((name) => {
    const pool = pools.get(name);
    return pool === undefined ? [] : [[name, pool] as const];
  });
  for (const chosen of combinations(read)) {
    const left = Object.entries(root).filter(([name]) => !Object.hasOwn(chosen, name));
    const others = Object.entries(chosen).flatMap(([name, value]): [string, AttributeValue][] =>
      value === undefined ? [] : [[name, attributeValue(value)]],
    );
    const item = Object.fromEntries([...left, ...others]);
    if (appliesTo(table, rule, item) === true) yield item;
  }
}
