import { type Aggregate, watchesMember, watchesTarget } from '../../../model/aggregate.ts';
import { type AttributeValue, equal } from '../../../model/attribute-value.ts';
import type { Change } from '../../../model/change.ts';
import type { Expectation } from '../../../model/guarded-write.ts';
import { attribute, type Item } from '../../../model/item.ts';
import { type AnyKind, ofKind } from '../../../model/kind.ts';
import { remembered } from '../../../model/remembered.ts';
import type { Rule } from '../../../model/rule.ts';
import { isCopied, locatingAttributes, watches } from '../../../model/rule-attributes.ts';
import type { TableNames } from '../../../model/table-names.ts';

/** One write changes at most this many attributes: an expression takes 300 operators and 4 KB. Source: AWS, "Quotas". */
export const maxChanges = 100;

/** An expression takes 300 operators and 4 KB, and each comparison costs two operators. Source: AWS, "Quotas". */
const maxComparisons = 120;
const maxNameBytes = 2500;

/**
 * All that the rule copies or reads is as read. If that is too much for an expression: what the write changes and the rule
 * reads.
 */
export type Guard = (
  copy: Item,
  projected: Iterable<string>,
  changes: readonly string[],
) => { readonly expect: Expectation; readonly narrowed: boolean };

export function guardOfCopies(table: TableNames, rule: Rule): Guard {
  const read = [...rule.reads.copy, ...locatingAttributes(rule), ...typeIn(table, rule.copy)];
  return guardOf(read, (name) => watches(table, rule, name));
}

/** What is computed or read of a target is as it was when it was read, before its members. */
export function guardOfTarget(table: TableNames, { on, reads }: Aggregate): Guard {
  return guardOf([...reads.target, ...typeIn(table, on)], () => false);
}

function guardOf(read: readonly string[], watches: (name: string) => boolean): Guard {
  const watched = remembered(watches);
  return (copy, projected, changes) => {
    const all = new Set([...read, ...projected, ...Object.keys(copy).filter(watched)]);
    const narrowed = !fits(all);
    const names = narrowed ? new Set([...read, ...changes]) : all;
    return { expect: expectation(copy, names), narrowed };
  };
}

/** The root still places its copies as just read. */
export function expectedRoot(table: TableNames, rule: Rule, root: Item): Expectation {
  return expectation(root, new Set([...rule.reads.root, ...typeIn(table, rule.root)]));
}

/** The root still is what a copy was made from, or, if that is too much for an expression, still places it. */
export function expectedSource(
  table: TableNames,
  rule: Rule,
  root: Item,
  copied: readonly string[],
): { readonly expect: Expectation; readonly narrowed: boolean } {
  const all = new Set([...rule.reads.root, ...typeIn(table, rule.root), ...copied]);
  return fits(all)
    ? { expect: expectation(root, all), narrowed: false }
    : { expect: expectedRoot(table, rule, root), narrowed: true };
}

/** It decides, together with the key, whether an item is of this kind. */
function typeIn({ type }: TableNames, kind: AnyKind): readonly string[] {
  return kind.type === undefined ? [] : [type];
}

/**
 * The whole item is as read. If that is more than an expression can hold, the `always` attributes and as many others as fit. No
 * condition can exclude an attribute that is added meanwhile.
 */
export function guardWhole(
  item: Item,
  always: readonly string[],
): { readonly expect: Expectation; readonly narrowed: boolean } {
  const names = new Set(always);
  let narrowed = false;
  for (const name of Object.keys(item))
    if (fits(new Set([...names, name]))) names.add(name);
    else narrowed = true;
  return { expect: expectation(item, names), narrowed };
}

function expectation(item: Item, names: ReadonlySet<string>): Expectation {
  const expected: Record<string, AttributeValue | undefined> = {};
  for (const name of names) expected[name] = attribute(item, name);
  return expected;
}

function fits(names: ReadonlySet<string>): boolean {
  const bytes = [...names].reduce((sum, name) => sum + Buffer.byteLength(name), 0);
  return names.size <= maxComparisons && bytes <= maxNameBytes;
}

/** The attributes whose change concerns a rule or an aggregate. */
export interface Watched {
  readonly kind: AnyKind;
  readonly watches: (attribute: string) => boolean;
}

/** If one of these differs, so may the projection, or the location of the copies. */
export function watchedRoot(table: TableNames, rule: Rule): Watched {
  const isWatched = (name: string) => rule.reads.root.includes(name) || isCopied(table, rule, name);
  return { kind: rule.root, watches: isWatched };
}

export function watchedCopy(table: TableNames, rule: Rule): Watched {
  return { kind: rule.copy, watches: (name) => watches(table, rule, name) };
}

export function watchedMember(aggregate: Aggregate): Watched {
  return { kind: aggregate.of, watches: (name) => watchesMember(aggregate, name) };
}

export function watchedTarget(aggregate: Aggregate): Watched {
  return { kind: aggregate.on, watches: (name) => watchesTarget(aggregate, name) };
}

/** It never was, it is gone, or its type attribute is another one. */
export type Absence = 'unconcerned' | 'removed' | 'left-kind';

/** `same` in everything that is watched. */
export type Presence = Absence | 'new' | 'differs' | 'same';

export function presenceOf(table: TableNames, watched: Watched, change: Change): Presence {
  const before = ofKind(table, watched.kind, change.before);
  const after = ofKind(table, watched.kind, change.after);
  if (after !== undefined && before === undefined) return 'new';
  if (after !== undefined && before !== undefined) return differ(watched, before, after) ? 'differs' : 'same';
  if (before === undefined) return 'unconcerned';
  return change.after === undefined ? 'removed' : 'left-kind';
}

export function differ(watched: Watched, before: Item, after: Item): boolean {
  return differences(watched, before, after).next().done !== true;
}

/** Found one by one. */
export function* differences({ watches }: Watched, before: Item, after: Item): Generator<string, void> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (watches(name) && !equal(attribute(before, name), attribute(after, name))) yield name;
}
