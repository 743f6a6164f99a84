import type { AttributeValue } from '../../model/attribute-value.ts';
import { isInLocation } from '../../model/copy-location.ts';
import { type Item, keyIn, sameKey } from '../../model/item.ts';
import { type Ids, idNames, keyWith } from '../../model/kind.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { locationOf, rootOf } from '../../worker/propagation/plan/rule-functions.ts';

/** The items of a rule that are changed, to count what that costs. */
export interface RuleItems {
  /** Roots with different keys, at most so many. */
  roots(most: number): readonly Item[];
  /** Copies of this root with different keys, so many if its location can have them. */
  copies(root: Item, count: number): readonly Item[];
  /** Other values that an attribute of the root may have. */
  otherValues(root: Item, attribute: string): readonly AttributeValue[];
}

/** How many copies a root can have: a rule that finds them by key, or that writes to the root itself, has one. */
export function hasOneCopy({ located }: Rule): boolean {
  return located.in === 'key' || located.in === 'itself';
}

/** The items of somebody's table: one root, and copies that are made from one of its copies. */
export function givenItems(table: TableNames, rule: Rule, root: Item, copy: Item | undefined): RuleItems {
  return {
    roots: () => [root],
    copies: (_, count) => (copy === undefined ? [] : likeCopy(table, rule, root, copy, count)),
    otherValues: (item, attribute) => variants(item[attribute]),
  };
}

/** Copies like this one, with other ids in their keys: ids that tell neither the root nor the location. */
function likeCopy(table: TableNames, rule: Rule, root: Item, copy: Item, count: number): Item[] {
  const ids = rule.copy.idsOf(keyIn(table, copy));
  if (ids === undefined || hasOneCopy(rule)) return [copy];
  for (const name of idNames(rule.copy)) {
    const like = (index: number) => withKey(table, rule, copy, { ...ids, [name]: `${ids[name]}${index}` });
    const second = like(1);
    if (second === undefined || !isCopyOf(table, rule, root, second)) continue;
    const others = Array.from({ length: count - 1 }, (_, index) => like(index + 1));
    return [copy, ...others.filter((item) => item !== undefined)];
  }
  return [copy];
}

function withKey({ pk, sk }: TableNames, rule: Rule, copy: Item, ids: Ids): Item | undefined {
  const key = keyWith(rule.copy, ids);
  return key && { ...copy, [pk]: { S: key.pk }, [sk]: { S: key.sk } };
}

/** Whether the rule finds this copy, and the copy names its root. */
export function isCopyOf(table: TableNames, rule: Rule, root: Item, copy: Item): boolean {
  const named = rootOf(table, rule, copy);
  return (
    named !== undefined &&
    sameKey(named, keyIn(table, root)) &&
    isInLocation(table, copy, locationOf(table, rule, root))
  );
}

/** Values like this one: of its type, and of its length where that is possible. */
function variants(value: AttributeValue | undefined): AttributeValue[] {
  if (value === undefined) return [];
  if ('S' in value) return textVariants(value.S).map((S) => ({ S }));
  if ('N' in value) {
    const number = Number(value.N);
    return [number + 1, number - 1].map((N) => ({ N: String(N) }));
  }
  return 'BOOL' in value ? [{ BOOL: !value.BOOL }] : [];
}

/** Another last character that leaves a time or a number one. */
function textVariants(text: string): string[] {
  const digit = text.replace(/\d(?=\D*$)/, (last) => (last === '1' ? '2' : '1'));
  const letter = text.replace(/.$/su, (last) => (last === 'x' ? 'y' : 'x'));
  return [digit, letter, `${text}x`].filter((other) => other !== text);
}
