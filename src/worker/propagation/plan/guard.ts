import type { Aggregate } from '../../../model/aggregate.ts';
import type { AttributeValue } from '../../../model/attribute-value.ts';
import type { Expectation } from '../../../model/guarded-write.ts';
import { attribute, type Item } from '../../../model/item.ts';
import type { AnyKind } from '../../../model/kind.ts';
import { remembered } from '../../../model/remembered.ts';
import type { Rule } from '../../../model/rule.ts';
import { locatingAttributes, watches } from '../../../model/rule-attributes.ts';
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

/** If it decides, together with the key, whether an item is of this kind or of a more specific one. */
function typeIn({ type }: TableNames, kind: AnyKind): readonly string[] {
  return [kind, ...kind.narrower].some((one) => one.type !== undefined) ? [type] : [];
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
