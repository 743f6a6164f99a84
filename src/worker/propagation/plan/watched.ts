import { type Aggregate, watchesMember, watchesTarget } from '../../../model/aggregate.ts';
import { equal } from '../../../model/attribute-value.ts';
import type { Change } from '../../../model/change.ts';
import { attribute, type Item } from '../../../model/item.ts';
import { type AnyKind, ofKind } from '../../../model/kind.ts';
import type { Rule } from '../../../model/rule.ts';
import { isCopiable, watches } from '../../../model/rule-attributes.ts';
import type { TableNames } from '../../../model/table-names.ts';

/** Items of a kind that concern a rule or an aggregate, and the attributes of them whose change does. */
export interface Watched {
  readonly kind: AnyKind;
  readonly watches: (attribute: string) => boolean;
}

/** What the rule copies or reads: if it differs, so may the projection, or the location of the copies. */
export function watchedRoot(table: TableNames, rule: Rule): Watched {
  const { copies, reads } = rule;
  const isCopied = (name: string) =>
    copies === 'all' ? isCopiable(table, rule, name) : copies.includes(name);
  return { kind: rule.root, watches: (name) => reads.root.includes(name) || isCopied(name) };
}

/** What the rule copies, derives, reads or finds a copy by. */
export function watchedCopy(table: TableNames, rule: Rule): Watched {
  return { kind: rule.copy, watches: (name) => watches(table, rule, name) };
}

/** What the aggregate reads of a member, or finds it by. */
export function watchedMember(aggregate: Aggregate): Watched {
  return { kind: aggregate.of, watches: (name) => watchesMember(aggregate, name) };
}

/** What the aggregate computes or reads of a target. */
export function watchedTarget(aggregate: Aggregate): Watched {
  return { kind: aggregate.on, watches: (name) => watchesTarget(aggregate, name) };
}

/** Why an item is not of a kind after a change: it never was, it is gone, or its type attribute is another one. */
export type Absence = 'unconcerned' | 'removed' | 'left-kind';

/** What a change makes of an item of a kind: `same` in everything that is watched. */
export type Presence = Absence | 'new' | 'differs' | 'same';

export function presenceOf(table: TableNames, watched: Watched, change: Change): Presence {
  const before = ofKind(table, watched.kind, change.before);
  const after = ofKind(table, watched.kind, change.after);
  if (after !== undefined && before === undefined) return 'new';
  if (after !== undefined && before !== undefined) return differ(watched, before, after) ? 'differs' : 'same';
  if (before === undefined) return 'unconcerned';
  return change.after === undefined ? 'removed' : 'left-kind';
}

/** Whether two images differ in something that is watched. */
export function differ(watched: Watched, before: Item, after: Item): boolean {
  return differences(watched, before, after).next().done !== true;
}

/** The names of what is watched in which two images differ, found one by one. */
export function* differences({ watches }: Watched, before: Item, after: Item): Generator<string, void> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (watches(name) && !equal(attribute(before, name), attribute(after, name))) yield name;
}
