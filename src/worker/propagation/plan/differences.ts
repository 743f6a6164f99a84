import { type Aggregate, watchesMember, watchesTarget } from '../../../model/aggregate.ts';
import { equal } from '../../../model/attribute-value.ts';
import { attribute, type Item } from '../../../model/item.ts';
import type { Rule } from '../../../model/rule.ts';
import { isCopiable, watches } from '../../../model/rule-attributes.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { differencesFrom, project } from './projection.ts';

/** Names of attributes, found one by one, so that {@link hasAny} stops at the first. */
type Names = Generator<string, void, undefined>;

/**
 * The attributes that the rule copies or reads and in which two images of a root differ. If there are any, the projection
 * or the location of the copies may differ.
 */
export function differencesOfRoot(table: TableNames, rule: Rule, before: Item, after: Item): Names {
  return differing(before, after, (name) => {
    return (
      rule.reads.root.includes(name) ||
      (rule.copies === 'all' ? isCopiable(table, rule, name) : rule.copies.includes(name))
    );
  });
}

/** The attributes in which two images of a copy differ and that the rule copies, derives, reads or locates it by. */
export function differencesOfCopy(table: TableNames, rule: Rule, before: Item, after: Item): Names {
  return differing(before, after, (name) => watches(table, rule, name));
}

/**
 * The attributes in which an item that is its own copy differs from its projection.
 * @throws InvalidItemError if it cannot be projected
 */
export function differencesFromItself(table: TableNames, rule: Rule, item: Item): readonly string[] {
  return differencesFrom(project(table, rule, item, item), item);
}

/** The attributes in which two images of a member differ and that the aggregate reads or finds it by. */
export function differencesOfMember(aggregate: Aggregate, before: Item, after: Item): Names {
  return differing(before, after, (name) => watchesMember(aggregate, name));
}

/** The attributes in which two images of a target differ and that the aggregate computes or reads. */
export function differencesOfTarget(aggregate: Aggregate, before: Item, after: Item): Names {
  return differing(before, after, (name) => watchesTarget(aggregate, name));
}

export function hasAny(names: Names): boolean {
  return names.next().done !== true;
}

function* differing(before: Item, after: Item, concerns: (name: string) => boolean): Names {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (concerns(name) && !equal(attribute(before, name), attribute(after, name))) yield name;
}
