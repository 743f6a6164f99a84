import * as z from 'zod';
import type { Aging, ArchiveRule, DeletionPolicy } from '../../model/archive-rule.ts';
import type { AnyKind } from '../../model/kind.ts';
import { patternOf } from '../../model/placeholders.ts';
import type { Rule } from '../../model/rule.ts';
import type { IndexNames } from '../../model/table-names.ts';

/** A rule in words, for people and JSON output. */
export interface RuleDescription {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
  readonly found: string;
  /** The key of the root that a copy names; undefined if the item is its own copy. */
  readonly rootOf?: string;
  /** Whether missing copies are created. */
  readonly creates: boolean;
  /** The source of `when`; undefined if the rule applies to all roots. */
  readonly when?: string;
  readonly copies: string;
  readonly derives: readonly string[];
  readonly reads: string;
  readonly writes: string;
  readonly onDelete: string;
  readonly onExpire: string;
}

export function describeRule(rule: Rule): RuleDescription {
  return {
    rule: rule.name,
    from: describeKind(rule.root),
    to: rule.located.in === 'itself' ? 'the item itself' : describeKind(rule.copy),
    found: describeLocation(rule),
    ...(rule.located.in !== 'itself' && { rootOf: rootPattern(rule) ?? sourceText(rule.rootOf) }),
    creates: rule.creates,
    ...(rule.when !== undefined && { when: sourceText(rule.when.root) }),
    copies: rule.copies === 'all' ? describeAll(rule) : rule.copies.join(', ') || 'nothing',
    derives: Object.keys(rule.derive).map((name) => `${name} = ${describeDerivation(rule, name)}`),
    reads: describeReads(rule),
    writes: describeWritten(rule),
    onDelete: describeRemoval(rule, rule.onDelete),
    onExpire:
      rule.located.in === 'itself' ? 'nothing is left to change' : describeRemoval(rule, rule.onExpire),
  };
}

export function describeKind(kind: AnyKind): string {
  return `${kind.name} (${kind.pkPattern.pattern} / ${kind.skPattern.pattern})`;
}

/** The source of a function, on one line: what it says without a pattern. */
export function sourceText(called: unknown): string {
  return String(called).replaceAll(/\s+/g, ' ');
}

/** The key of the root that a copy names, as a pattern. Undefined if there is no such pattern. */
function rootPattern({ rootOf }: Rule): string | undefined {
  return patternOf((view) => {
    const key = rootOf(view);
    return key && `${key.pk} / ${key.sk}`;
  });
}

function describeAll(rule: Rule): string {
  const own = rule.own.length === 0 ? '' : `, ${rule.own.join(', ')}`;
  const unknown =
    rule.unknown === 'remove' ? 'other attributes of a copy are removed' : 'other attributes of a copy stay';
  return `all attributes but keys, index keys, expiry${own}; ${unknown}`;
}

/** Where copies are, in words. */
export function describeLocation(rule: Rule): string {
  const { located } = rule;
  if (located.in === 'itself') return 'the root itself is the copy';
  return (
    locationPattern(rule) ??
    (located.in === 'index'
      ? `in ${located.index.name}`
      : `${located.in === 'keys' ? 'at' : 'in'} the ${located.in} that the rule computes`)
  );
}

/**
 * The location of copies, as a pattern of the attributes that the rule reads. Undefined if there is no such
 * pattern.
 */
export function locationPattern({ root, located }: Rule): string | undefined {
  if (located.in === 'itself') return undefined;
  return patternOf((view) => {
    if (located.in === 'keys')
      return `at the keys ${located
        .at(view)
        .map(({ pk, sk }) => `${pk} / ${sk}`)
        .join(', ')}`;
    const location = located.at(view);
    if ('sk' in location) return `at the key ${location.pk} / ${location.sk}`;
    return rangeText(located, location);
  }, textLists(root));
}

/** Where a query finds copies or members. */
export function rangeText(
  located: { readonly in: string; readonly index?: IndexNames },
  { pk, begins }: { readonly pk: string; readonly begins?: string | undefined },
): string {
  const where = located.index ? `in ${located.index.name}, ${located.index.pk} =` : 'in the partition';
  return `${where} ${pk}${begins === undefined ? '' : `, sort keys that begin with ${begins}`}`;
}

/** The attributes that are lists of text. */
function textLists({ attributes }: AnyKind): ReadonlySet<string> {
  const lists = Object.entries(attributes.shape).filter(
    ([, schema]) => schema instanceof z.ZodArray && schema.element instanceof z.ZodString,
  );
  return new Set(lists.map(([name]) => name));
}

function describeDerivation(rule: Rule, name: string): string {
  return (
    derivationPattern(rule, name) ??
    `computed from ${[...new Set([...rule.reads.root, ...rule.reads.copy])].join(', ')}`
  );
}

/**
 * The value of a derived attribute, as a pattern of the attributes that the rule reads. Undefined if there is
 * no such pattern.
 */
export function derivationPattern(rule: Rule, name: string): string | undefined {
  return patternOf((view) => {
    const value = rule.derive[name]?.({ root: view, copy: view });
    return typeof value === 'string' ? value : undefined;
  });
}

function describeReads({ located, reads }: Rule): string {
  if (located.in === 'itself') return reads.root.join(', ');
  const sides = [
    ['root', reads.root],
    ['copy', reads.copy],
  ] as const;
  const read = sides
    .filter(([, names]) => names.length > 0)
    .map(([side, names]) => `${names.join(', ')} of the ${side}`);
  return read.join('; ') || 'nothing else';
}

function describeWritten(rule: Rule): string {
  if (rule.copies === 'all') return `everything on the copy but ${['its keys', ...rule.own].join(', ')}`;
  return [...rule.copies, ...Object.keys(rule.derive)].join(', ') || 'nothing: it only removes copies';
}

function describeRemoval(rule: Rule, policy: Rule['onDelete']): string {
  if (rule.located.in === 'itself') return describeOwnRemoval(rule, policy);
  if (policy === 'delete') return 'copies are deleted';
  return policy === 'clear' ? 'copies lose what the rule writes' : 'copies stay as they are';
}

/** An item that is its own copy is gone with its root: only `when` can leave it without one. */
function describeOwnRemoval({ when }: Rule, policy: Rule['onDelete']): string {
  if (when === undefined) return 'nothing is left to change';
  return policy === 'clear' ? 'the item loses what the rule writes' : 'the item stays as it is';
}

/** An archive rule in words, for people and JSON output. */
export function describeArchiveRule(rule: ArchiveRule) {
  return {
    rule: rule.name,
    kinds: rule.kinds.map(describeKind),
    when: rule.when.map(({ kind, item }) => `${kind.name}: ${sourceText(item)}`),
    layout: rule.layout === 'object' ? 'an object for each item' : 'an object for each batch of items',
    storageClass: rule.storageClass ?? 'that of the deployment',
    ages: rule.ages === undefined ? 'never' : describeAging(rule.ages),
    onDelete: deletions[rule.onDelete],
  };
}

const deletions: Readonly<Record<DeletionPolicy, string>> = {
  keep: 'archived states stay',
  erase: 'archived states are erased, with all versions',
  archive: 'the last state is archived as if it had expired',
};

function describeAging({ kind, days, reads, found, with: others }: Aging): string {
  const what = [kind, ...others.map((other) => other.kind)].map(({ name }) => name).join(' with its ');
  const how = found.in === 'scan' ? 'a scan' : `a query of ${found.index.name}`;
  return `${what}, after ${days} days, as ${reads.join(' and ')} say; found by ${how}`;
}
