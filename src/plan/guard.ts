import type { AttributeValue } from '../model/items/attribute-value.ts';
import { attribute, type Item } from '../model/items/item.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import { watches } from '../model/rules/rule-attributes.ts';
import type { Expectation } from '../model/work/guarded-write.ts';

/** One write changes at most this many attributes: an expression takes 300 operators and 4 KB. Source: AWS, "Quotas". */
export const maxChanges = 100;

/** An expression takes 300 operators and 4 KB, and each comparison costs two operators. Source: AWS, "Quotas". */
const maxComparisons = 120;
const maxNameBytes = 2500;

/** A condition. If it cannot hold all comparisons, it is `narrowed` to those that must not be left out. */
export interface Guard {
  readonly expect: Expectation;
  readonly narrowed: boolean;
}

/** Those of a set, or the keys of a map. */
type Names = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>;

/**
 * All that the rule copies or reads of the copy is as read. If that is too much for an expression: what the write changes and the rule
 * reads.
 */
export function guardOfCopy(
  rule: BoundRule,
  copy: Item,
  projected: Names,
  changes: readonly string[],
): Guard {
  const watched = Object.keys(copy).filter((name) => !projected.has(name) && watches(rule, name));
  return guardOf(copy, rule.compared.copy, [...projected.keys(), ...watched], changes);
}

/**
 * What is compared in any case, and more, is as read. If that is too much for an expression: what is compared in any case, and what
 * the write changes.
 */
export function guardOf(
  item: Item,
  compared: readonly string[],
  more: Iterable<string>,
  changes: readonly string[],
): Guard {
  const all = [...compared, ...more];
  const narrowed = !fits(all);
  const names = narrowed ? [...compared, ...changes] : all;
  return { expect: expectation(item, names), narrowed };
}

/** The root still places its copies as just read. */
export function expectedRoot({ compared }: BoundRule, root: Item): Expectation {
  return expectation(root, compared.root);
}

/** The root still is what a copy was made from, or, if that is too much for an expression, still places it. */
export function expectedSource(rule: BoundRule, root: Item, copied: readonly string[]): Guard {
  const all = [...rule.compared.root, ...copied];
  return fits(all)
    ? { expect: expectation(root, all), narrowed: false }
    : { expect: expectedRoot(rule, root), narrowed: true };
}

/**
 * The whole item is as read. If that is more than an expression can hold, the `always` attributes and as many others as fit. No
 * condition can exclude an attribute that is added meanwhile.
 */
export function guardWhole(item: Item, always: readonly string[]): Guard {
  const names = new Set(always);
  let narrowed = false;
  for (const name of Object.keys(item))
    if (fits([...names, name])) names.add(name);
    else narrowed = true;
  return { expect: expectation(item, names), narrowed };
}

/** @param names some may be there twice */
function expectation(item: Item, names: Iterable<string>): Expectation {
  const expected: Record<string, AttributeValue | undefined> = {};
  for (const name of names) expected[name] = attribute(item, name);
  return expected;
}

/** Few short names, as most are, are not counted to the byte. */
function fits(names: readonly string[]): boolean {
  const atMost = names.reduce((sum, name) => sum + 3 * name.length, 0);
  if (names.length <= maxComparisons && atMost <= maxNameBytes) return true;
  const distinct = new Set(names);
  const bytes = [...distinct].reduce((sum, name) => sum + Buffer.byteLength(name), 0);
  return distinct.size <= maxComparisons && bytes <= maxNameBytes;
}
