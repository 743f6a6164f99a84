import type { Item } from '../items/item.ts';
import type { AnyKind, BoundKind } from '../kinds/kind.ts';
import type { Aggregate } from './aggregate.ts';
import type { BoundRule, BoundWriter } from './bound-rule.ts';
import { outputsOf, type RemovalPolicy, type Rule } from './rule.ts';

/** What global tables of version 2017.11.29 keep in each item. Source: DynamoDB Developer Guide, "Global tables: how it works". */
const replicationPrefix = 'aws:rep:';

/** Not keys, index keys, the expiry, `own` attributes, or a type that tells root or copy from other kinds. */
export function isCopiable({ neverCopied }: BoundRule, attribute: string): boolean {
  return !neverCopied.has(attribute) && !attribute.startsWith(replicationPrefix);
}

/** The attribute of the root that is copied to this one of the copy. */
export function sourceName({ renamed }: Pick<Rule, 'renamed'>, attribute: string): string {
  return (Object.hasOwn(renamed, attribute) && renamed[attribute]) || attribute;
}

/** Whether the rule copies this attribute of the root. */
export function isCopied(rule: BoundRule, attribute: string): boolean {
  if (rule.copies === 'all') return isCopiable(rule, attribute);
  return rule.copies.some((name) => sourceName(rule, name) === attribute);
}

/** Whether the rule writes no attribute: it removes copies, for which there is nothing to compare. */
export function writesNothing(rule: Pick<Rule, 'copies' | 'derive'>): boolean {
  return rule.copies !== 'all' && outputsOf(rule).length === 0;
}

/** A new root and a new copy need nothing then. */
export function onlyRemoves(rule: Rule): boolean {
  return writesNothing(rule) && rule.when === undefined;
}

export type Writer = Rule | Aggregate;

export function writtenKind(writer: BoundWriter): BoundKind;
export function writtenKind(writer: Writer): AnyKind;
export function writtenKind(writer: Writer): AnyKind {
  return writer.is === 'rule' ? writer.copy : writer.on;
}

/** A rule that copies all writes more. */
export function namedOutputs(writer: Writer): readonly string[] {
  switch (writer.is) {
    case 'rule':
      return outputsOf(writer);
    case 'aggregate':
      return Object.keys(writer.computes);
  }
}

export function copiesAll<SomeWriter extends Writer>(
  writer: SomeWriter,
): writer is SomeWriter & { readonly is: 'rule'; readonly copies: 'all' } {
  return writer.is === 'rule' && writer.copies === 'all';
}

/** Whether this is an attribute that it writes. */
export function owns(writer: BoundWriter, attribute: string): boolean {
  switch (writer.is) {
    case 'rule':
      return writer.outputs.has(attribute) || (writer.copies === 'all' && isCopiable(writer, attribute));
    case 'aggregate':
      return Object.hasOwn(writer.computes, attribute);
  }
}

export function policiesOf(rule: Pick<Rule, 'onDelete' | 'onExpire' | 'onUnlink'>): readonly RemovalPolicy[] {
  return [rule.onDelete, rule.onExpire, rule.onUnlink];
}

/** The item without what the rule writes. */
export function withoutOwned(rule: BoundRule, item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !owns(rule, name)));
}

/** The attributes that a removal policy takes from a copy; undefined if it takes the whole item. */
export function clearedBy(policy: RemovalPolicy, rule: BoundRule, copy: Item): readonly string[] | undefined {
  if (policy === 'clear') return Object.keys(copy).filter((name) => owns(rule, name));
  return { delete: undefined, keep: [] }[policy];
}

/** Whether a change of this attribute requires a check of the copy. */
export function watches(rule: BoundRule, attribute: string): boolean {
  return owns(rule, attribute) || rule.reads.copy.includes(attribute) || rule.locating.includes(attribute);
}
