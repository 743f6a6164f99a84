import type { Rule } from './rule.ts';
import { indexKeyNames, type TableNames } from './table-names.ts';

/**
 * Whether a rule that copies `all` attributes copies this one: keys, index keys, the expiry and what the copy owns
 * are left out, and so is the type attribute where it tells root or copy apart from other kinds.
 */
export function isCopiable(table: TableNames, rule: Rule, attribute: string): boolean {
  if (attribute === table.pk || attribute === table.sk || attribute === table.ttl) return false;
  if (attribute === table.type && (rule.root.type ?? rule.copy.type) !== undefined) return false;
  return !indexKeyNames(table).has(attribute) && !rule.own.includes(attribute);
}

/** The attributes that the rule names as its output; with `copies: 'all'` there are more. */
export function namedOutputs(rule: Rule): readonly string[] {
  return [...(rule.copies === 'all' ? [] : rule.copies), ...Object.keys(rule.derive)];
}

/** Whether this attribute of a copy is the rule's to write. */
export function owns(table: TableNames, rule: Rule, attribute: string): boolean {
  if (namedOutputs(rule).includes(attribute)) return true;
  return rule.copies === 'all' && isCopiable(table, rule, attribute);
}

/** The attributes by which an index places a copy; none where copies are not found by an index. */
export function locatingAttributes(rule: Rule): readonly string[] {
  return rule.located.in === 'index' ? [rule.located.index.pk, rule.located.index.sk] : [];
}

/** Whether a change of this attribute of a copy is to be checked: the rule copies it, derives it or reads it. */
export function watches(table: TableNames, rule: Rule, attribute: string): boolean {
  return (
    owns(table, rule, attribute) ||
    rule.reads.copy.includes(attribute) ||
    locatingAttributes(rule).includes(attribute)
  );
}
