import type { Aggregate } from './aggregate.ts';
import type { AnyKind } from './kind.ts';
import type { Rule } from './rule.ts';
import { indexParts, isKeyName, keyParts, type TableNames } from './table-names.ts';

/** What global tables of version 2017.11.29 keep in each item. Source: DynamoDB Developer Guide, "Global tables: how it works". */
const replicationPrefix = 'aws:rep:';

/** Not keys, index keys, the expiry, `own` attributes, or a type that tells root or copy from other kinds. */
export function isCopiable(table: TableNames, rule: Rule, attribute: string): boolean {
  if (isKeyName(table, attribute) || attribute === table.ttl) return false;
  if (attribute.startsWith(replicationPrefix)) return false;
  if (attribute === table.type && (rule.root.type ?? rule.copy.type) !== undefined) return false;
  return !indexParts(table).has(attribute) && !rule.own.includes(attribute);
}

/** The attribute of the root that is copied to this one of the copy. */
export function sourceName({ renamed }: Pick<Rule, 'renamed'>, attribute: string): string {
  return (Object.hasOwn(renamed, attribute) && renamed[attribute]) || attribute;
}

/** Whether the rule copies this attribute of the root. */
export function isCopied(table: TableNames, rule: Rule, attribute: string): boolean {
  if (rule.copies === 'all') return isCopiable(table, rule, attribute);
  return rule.copies.some((name) => sourceName(rule, name) === attribute);
}

/** Whether the rule writes no attribute: it removes copies, for which there is nothing to compare. */
export function writesNothing(rule: Pick<Rule, 'copies' | 'derive'>): boolean {
  return rule.copies.length === 0 && Object.keys(rule.derive).length === 0;
}

/** A new root and a new copy need nothing then. */
export function onlyRemoves(rule: Rule): boolean {
  return writesNothing(rule) && rule.when === undefined;
}

export type Writer = Rule | Aggregate;

export function writtenKind(writer: Writer): AnyKind {
  return 'copy' in writer ? writer.copy : writer.on;
}

/** A rule that copies all writes more. */
export function namedOutputs(writer: Writer): readonly string[] {
  if ('computes' in writer) return Object.keys(writer.computes);
  return [...(writer.copies === 'all' ? [] : writer.copies), ...Object.keys(writer.derive)];
}

export function copiesAll(writer: Writer): writer is Rule & { readonly copies: 'all' } {
  return 'copies' in writer && writer.copies === 'all';
}

export function owns(table: TableNames, writer: Writer, attribute: string): boolean {
  if (namedOutputs(writer).includes(attribute)) return true;
  return copiesAll(writer) && isCopiable(table, writer, attribute);
}

export function locatingAttributes(rule: Rule): readonly string[] {
  return rule.located.in === 'index' ? keyParts(rule.located.index).names : [];
}

/** Whether a change of this attribute requires a check of the copy. */
export function watches(table: TableNames, rule: Rule, attribute: string): boolean {
  return (
    owns(table, rule, attribute) ||
    rule.reads.copy.includes(attribute) ||
    locatingAttributes(rule).includes(attribute)
  );
}
