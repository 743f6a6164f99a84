import type { Aggregate } from './aggregate.ts';
import type { AnyKind } from './kind.ts';
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

/** What writes attributes of items of a kind. */
export type Writer = Rule | Aggregate;

/** The kind whose items it writes. */
export function writtenKind(writer: Writer): AnyKind {
  return 'copy' in writer ? writer.copy : writer.on;
}

/** The attributes that it names as output. A rule that copies all writes more. */
export function namedOutputs(writer: Writer): readonly string[] {
  if ('computes' in writer) return Object.keys(writer.computes);
  return [...(writer.copies === 'all' ? [] : writer.copies), ...Object.keys(writer.derive)];
}

/** Whether it copies attributes that it does not name. */
export function copiesAll(writer: Writer): writer is Rule & { readonly copies: 'all' } {
  return 'copies' in writer && writer.copies === 'all';
}

/** Whether it may write this attribute. */
export function owns(table: TableNames, writer: Writer, attribute: string): boolean {
  if (namedOutputs(writer).includes(attribute)) return true;
  return copiesAll(writer) && isCopiable(table, writer, attribute);
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
