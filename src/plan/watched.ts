import { equal } from '../model/items/attribute-value.ts';
import type { Change } from '../model/items/change.ts';
import { attribute, type Item } from '../model/items/item.ts';
import { type BoundKind, ofKind } from '../model/kinds/kind.ts';
import { watchesMember } from '../model/rules/aggregate.ts';
import type { BoundAggregate, BoundRule } from '../model/rules/bound-rule.ts';
import { isCopied, watches } from '../model/rules/rule-attributes.ts';

/** The attributes whose change concerns a rule or an aggregate. */
export interface Watched {
  readonly kind: BoundKind;
  readonly watches: (attribute: string) => boolean;
}

/** If one of these differs, so may the projection, or the location of the copies. */
export function watchedRoot(rule: BoundRule): Watched {
  const isWatched = (name: string) => rule.reads.root.includes(name) || isCopied(rule, name);
  return { kind: rule.root, watches: isWatched };
}

export function watchedCopy(rule: BoundRule): Watched {
  return { kind: rule.copy, watches: (name) => watches(rule, name) };
}

export function watchedMember(aggregate: BoundAggregate): Watched {
  return { kind: aggregate.of, watches: (name) => watchesMember(aggregate, name) };
}

/** What nobody else of the project writes may keep an empty target, or have kept it until now. */
export function watchedTarget({ on, computes, reads, onEmpty, isWritten }: BoundAggregate): Watched {
  return {
    kind: on,
    watches: (name) =>
      Object.hasOwn(computes, name) ||
      reads.target.includes(name) ||
      (onEmpty === 'delete' && !isWritten(name)),
  };
}

/** It never was, it is gone, or its type attribute is another one. */
export type Absence = 'unconcerned' | 'removed' | 'left-kind';

/** `same` in everything that is watched. */
export type Presence = Absence | 'new' | 'differs' | 'same';

export function presenceOf(watched: Watched, change: Change): Presence {
  const before = ofKind(watched.kind, change.before);
  const after = ofKind(watched.kind, change.after);
  if (after !== undefined && before === undefined) return 'new';
  if (after !== undefined && before !== undefined) return differ(watched, before, after) ? 'differs' : 'same';
  if (before === undefined) return 'unconcerned';
  return change.after === undefined ? 'removed' : 'left-kind';
}

export function differ(watched: Watched, before: Item, after: Item): boolean {
  return differences(watched, before, after).next().done !== true;
}

/** The watched attributes that differ, found one by one. */
export function* differences({ watches }: Watched, before: Item, after: Item): Generator<string, void> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (watches(name) && !equal(attribute(before, name), attribute(after, name))) yield name;
}
