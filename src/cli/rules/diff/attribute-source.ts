import type { Rule } from '../../../model/rule.ts';
import { isCopiable } from '../../../model/rule-attributes.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { derivationPattern } from '../describe-rule.ts';
import { plainSource } from './tree-rules.ts';

/**
 * What a rule makes of an attribute of a copy:
 * - `derived`: it is computed; `pattern` where that can be shown, `source` is the text of the function;
 * - `as-root`: it is what the root has, and goes where the root has none;
 * - `as-root-if-there`: it is what the root has, and stays where the root has none;
 * - `copys-own`: nothing.
 */
export type AttributeSource =
  | { readonly is: 'derived'; readonly pattern: string | undefined; readonly source: string }
  | { readonly is: 'as-root' | 'as-root-if-there' | 'copys-own' };

/** Stands for every attribute that nothing names. */
export const anyOther = 'all other attributes';

export function attributeSourceOf(table: TableNames, rule: Rule, attribute: string): AttributeSource {
  const derive = Object.hasOwn(rule.derive, attribute) ? rule.derive[attribute] : undefined;
  if (derive !== undefined)
    return {
      is: 'derived',
      pattern: derivationPattern(rule, attribute),
      source: plainSource(String(derive)),
    };
  if (rule.copies !== 'all') return { is: rule.copies.includes(attribute) ? 'as-root' : 'copys-own' };
  if (!isCopiable(table, rule, attribute)) return { is: 'copys-own' };
  return { is: rule.unknown === 'remove' ? 'as-root' : 'as-root-if-there' };
}

/** The attributes that a rule names in any way, by name. */
export function namedBy(rule: Rule): string[] {
  const copied = rule.copies === 'all' ? [] : rule.copies;
  const schemas = [rule.root, rule.copy].flatMap((kind) => Object.keys(kind.attributes.shape));
  return [...new Set([...schemas, ...copied, ...Object.keys(rule.derive), ...rule.own])];
}

/**
 * The attributes that a strict mirror takes from copies: those that its copy's schema lists, and its root's does not.
 * Others that no schema lists go as well, where a root has none of them.
 */
export function lostBy(table: TableNames, rule: Rule): string[] {
  if (rule.copies !== 'all' || rule.unknown !== 'remove') return [];
  const onRoot = new Set(Object.keys(rule.root.attributes.shape));
  return Object.keys(rule.copy.attributes.shape).filter(
    (name) => !onRoot.has(name) && attributeSourceOf(table, rule, name).is === 'as-root',
  );
}
