import type { Rule } from './rule.ts';
import { indexKeyNames, type TableNames } from './table-names.ts';

/**
 * Whether a rule that copies `all` attributes copies this one. It does not copy keys, index keys, the expiry, the copy's
 * `own` attributes, or a type attribute that tells root or copy from other kinds.
 */
export function isCopiable(table: TableNames, rule: Rule, attribute: string): boolean {
  if (attribute === table.pk || attribute === table.sk || attribute === table.ttl) return false;
  if (attribute === table.type && (rule.root.type ?? rule.copy.type) !== undefined) return false;
  return !indexKeyNames(table).has(attribute) && !rule.own.includes(attribute);
}

/** Whether the rule writes no attribute: it removes copies, for which there is nothing to compare. */
export function writesNothing(rule: Pick<Rule, 'copies' | 'derive'>): boolean {
  return rule.copies.length === 0 && Object.keys(rule.derive).length === 0;
}

/** Whether only a root's removal, or a move of its copies, concerns the rule: a new root and a new copy need nothing. */
export function onlyRemoves(rule: Rule): boolean {
  return writesNothing(rule) && rule.when === undefined;
}

/** The attributes that the rule names as output. With `copies: 'all'` it writes more. */
export function namedOutputs(rule: Rule): readonly string[] {
  return [...(rule.copies === 'all' ? [] : rule.copies), ...Object.keys(rule.derive)];
}

/** Whether the rule may write this attribute of a copy. */
export function owns(table: TableNames, rule: Rule, attribute: string): boolean {
  if (namedOutputs(rule).includes(attribute)) return true;
  return rule.copies === 'all' && isCopiable(table, rule, attribute);
}

/** The key attributes of the index that locates the copies; empty if no index does. */
export function locatingAttributes(rule: Rule): readonly string[] {
  return rule.located.in === 'index' ? [rule.located.index.pk, rule.located.index.sk] : [];
}

/** Whether a change of this attribute requires a check of the copy: the rule writes it, reads it or finds the copy by it. */
export function watches(table: TableNames, rule: Rule, attribute: string): boolean {
  return (
    owns(table, rule, attribute) ||
    rule.reads.copy.includes(attribute) ||
    locatingAttributes(rule).includes(attribute)
  );
}

/** What to do about an attribute that two rules or aggregates write: only a rule that copies all can leave one to the other. */
export function remedyForTwoWriters(oneCopiesAll: boolean): string {
  return `remove it from one of them${oneCopiesAll ? ", or add it to own of the one with copies: 'all'" : ''}`;
}
