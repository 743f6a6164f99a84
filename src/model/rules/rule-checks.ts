import type * as z from 'zod/mini';
import { type RuleError, refusalOf } from '../basics/errors.ts';
import { fitsPart } from '../items/given-keys.ts';
import { type IndexNames, indexParts, isKeyName, keyParts, type TableNames } from '../items/table-names.ts';
import { type AnyKind, type BoundKind, idNames, isSameKind, kindsOverlap } from '../kinds/kind.ts';
import { checkKinds } from '../kinds/kind-checks.ts';
import { parsedBy } from '../kinds/view.ts';
import type { Aggregate } from './aggregate.ts';
import type { ArchiveRule } from './archive-rule.ts';
import type { BoundAggregate, BoundArchiveRule, BoundRule, BoundWriter } from './bound-rule.ts';
import { isNumeric } from './reducers.ts';
import { policyEffects, type Rule } from './rule.ts';
import { copiesAll, namedOutputs, owns, policiesOf, sourceName, writtenKind } from './rule-attributes.ts';
import { checkCycles } from './rule-cycles.ts';

/** What a project defines. */
export interface Definitions {
  readonly rules: readonly Rule[];
  readonly aggregates: readonly Aggregate[];
  readonly archives: readonly ArchiveRule[];
  /** Those that the project lists beside them. */
  readonly kinds: readonly AnyKind[];
}

/** The same, bound to the project's table. */
export interface BoundDefinitions extends Definitions {
  readonly table: TableNames;
  readonly rules: readonly BoundRule[];
  readonly aggregates: readonly BoundAggregate[];
  readonly archives: readonly BoundArchiveRule[];
  readonly kinds: readonly BoundKind[];
}

/** Refuses invalid rules and conflicting ones. */
export function checkDefinitions(all: BoundDefinitions): void {
  const { table, rules, aggregates, archives } = all;
  const writers = [...rules, ...aggregates];
  checkKinds(table, [...kindsOf(all), ...all.kinds]);
  for (const rule of rules) checkRule(rule);
  for (const aggregate of aggregates) checkAggregate(aggregate);
  for (const [index, writer] of writers.entries())
    for (const other of writers.slice(index + 1)) checkOwnership(writer, other);
  checkCycles(writers);
  for (const rule of rules) if (rule.creates) checkCreation(rule, writers);
  for (const aggregate of aggregates) if (aggregate.creates) checkMaking(aggregate, all);
  checkArchives(table, archives);
  for (const aggregate of aggregates) if (aggregate.ledger !== undefined) checkLedger(aggregate, all);
}

/**
 * The kinds of all definitions, each as often as it is named.
 * @param ofAggregate default: without those of its ledger
 */
export function kindsOf(
  { rules, aggregates, archives }: Pick<Definitions, 'rules' | 'aggregates' | 'archives'>,
  ofAggregate: (aggregate: Aggregate) => readonly AnyKind[] = ({ of, on }) => [of, on],
): readonly AnyKind[] {
  return [
    ...rules.flatMap(({ root, copy }) => [root, copy]),
    ...aggregates.flatMap(ofAggregate),
    ...archives.flatMap((rule) => rule.kinds),
  ];
}

/** A ledger's items would be roots or members like those of an application, without end if they counted for a target. */
function checkLedger(aggregate: BoundAggregate, all: BoundDefinitions): void {
  const parts = keyParts(all.table).all;
  if (parts.length < 2 || parts.some(({ type }) => type === 'N'))
    throw refusalOf(aggregate)(
      'rule.no-ledger',
      'has a ledger, whose items have keys of text, but the table has a numeric key or no sort key: remove ledger, so that it is recomputed from all members',
    );
  const own = aggregate.ledger === undefined ? [] : [aggregate.ledger.heads.of, aggregate.ledger.entries.of];
  // The worker gives its items no type.
  const overlapping = [...kindsOf(all), ...all.kinds].find(
    (kind) => kind.type === undefined && own.some((one) => kindsOverlap(one, kind)),
  );
  if (overlapping !== undefined)
    throw refusalOf(aggregate)(
      'rule.no-ledger',
      `has a ledger, whose items would be taken for ${overlapping.name}, because the pattern '${overlapping.pkPattern.pattern}' fits their partition keys, '${own[0]?.pkPattern.pattern}': give ${overlapping.name} a type, or a pk that begins with a text of its own`,
    );
}

function checkRule(rule: BoundRule): void {
  const { table, located, copies, tenant, root, copy } = rule;
  const refuse = refusalOf(rule);
  const isItself = located.in === 'itself';
  checkWritten(rule);
  for (const attribute of namedOutputs(rule)) {
    if (rule.own.includes(attribute))
      throw refuse(
        'rule.writes-own',
        `writes '${attribute}', which belongs to the copy by own: remove it from own, or from copies and derive`,
      );
    if (rule.locating.includes(attribute))
      throw refuse(
        'rule.writes-location',
        `writes '${attribute}', a key of the index that locates its copies: locate them in another way`,
      );
  }
  if (located.in === 'index') checkIndex(table, rule, 'locates copies', located.index);
  if (located.in === 'partition') checkPartition(table, rule, 'locates copies');
  if (isItself && !isSameKind(root, copy))
    throw refuse(
      'rule.not-itself',
      `is located in 'itself' but has the root ${root.name} and the copy ${copy.name}: make both the same kind`,
    );
  if (isItself && rule.when !== undefined && policyEffects[rule.onDelete].deletes)
    throw refuse(
      'rule.deletes-itself',
      "would delete items for which its when is false: set onDelete to 'clear' or 'keep'",
    );
  if (isItself && copies.length > 0)
    throw refuse(
      'rule.copies-itself',
      'copies attributes of an item to the same item: use derive instead of copies',
    );
  if (copies !== 'all' && (rule.unknown === 'remove' || rule.own.length > 0))
    throw refuse(
      'rule.needs-all',
      "has own or unknown: 'remove' but lists what it copies: remove them, or set copies: 'all'",
    );
  if (tenant !== undefined && ![root, copy].every((kind) => idNames(kind).includes(tenant)))
    throw refuse(
      'rule.no-tenant',
      `has the tenant '${tenant}', which is not an id in the keys of both root and copy: add {${tenant}} to their key patterns`,
    );
}

function checkAggregate(aggregate: BoundAggregate): void {
  const { table } = aggregate;
  checkWritten(aggregate);
  for (const [attribute, reducer] of Object.entries(aggregate.computes)) {
    const part = indexParts(table).get(attribute);
    if (part !== undefined && !(part.type === 'N' && isNumeric(reducer)))
      throw refusalOf(aggregate)(
        'rule.writes-key',
        `writes '${attribute}', a key of an index: compute another attribute, and derive the key from it by a rule`,
      );
  }
  for (const location of aggregate.members) {
    if (location.in === 'index') checkIndex(table, aggregate, 'finds members', location.index);
    else checkPartition(table, aggregate, 'finds members');
  }
}

function checkWritten(writer: BoundWriter): void {
  const { table } = writer;
  const fields = writer.is === 'aggregate' ? 'computes' : 'copies or derive';
  const refuse = (code: string, attribute: string, what: string) =>
    refusalOf(writer)(code, `writes '${attribute}', ${what}: remove it from ${fields}`);
  for (const attribute of namedOutputs(writer)) {
    if (isKeyName(table, attribute)) throw refuse('rule.writes-key', attribute, 'a key of the table');
    if (attribute === table.ttl) throw refuse('rule.writes-expiry', attribute, 'the TTL attribute');
  }
}

function checkOwnership(writer: BoundWriter, other: BoundWriter): void {
  const kind = writtenKind(writer).name;
  if (kind !== writtenKind(other).name) return;
  const both =
    namedOutputs(writer).find((attribute) => owns(other, attribute)) ??
    namedOutputs(other).find((attribute) => owns(writer, attribute));
  const all = [writer, other].filter(copiesAll);
  if (both === undefined && all.length < 2) return;
  const what = both === undefined ? 'all attributes' : `'${both}'`;
  const remedy = all.length > 0 ? ", or add it to own of the one with copies: 'all'" : '';
  throw refusalOf(writer)(
    'rule.owned-twice',
    `and rule ${other.name} both write ${what} of ${kind}: remove it from one of them${remedy}`,
  );
}

function checkArchives(table: TableNames, archives: readonly ArchiveRule[]): void {
  const byKind = new Map<string, ArchiveRule>();
  for (const rule of archives) {
    const found = rule.ages?.found;
    if (found?.in === 'index') {
      checkIndex(table, rule, 'finds aged items', found.index);
      if (found.index.sk === undefined)
        throw refusalOf(rule)(
          'rule.no-index',
          `finds aged items in the index '${found.index.name}', which has no sort key to tell their age: use one that has, or 'scan'`,
        );
      const { pk } = keyParts(found.index);
      const isPartition = (values: readonly unknown[]) =>
        values.length === pk.length && values.every((value, at) => fitsPart(pk[at], value));
      if (!found.pks.every((one) => isPartition([one].flat())))
        throw refusalOf(rule)(
          'field.invalid',
          `has pks that are no partition keys of the index '${found.index.name}': give ${pk.map(({ name, type }) => `${name} as ${type === 'S' ? 'text' : 'a number'}`).join(' and ')} in each`,
        );
    }
    for (const { name } of rule.kinds) {
      const other = byKind.get(name);
      if (other !== undefined)
        throw refusalOf(rule)(
          'rule.archived-twice',
          `and rule ${other.name} both archive ${name}: remove it from one of them`,
        );
      byKind.set(name, rule);
    }
  }
}

/** @param finds what the rule finds there */
function checkIndex({ indexes }: TableNames, rule: Named, finds: string, index: IndexNames): void {
  const { name } = index;
  const all = Object.values(indexes);
  const own = all.find((one) => one.name === name);
  if (own !== undefined && keysText(own) === keysText(index)) return;
  throw refusalOf(rule)(
    'rule.no-index',
    own === undefined
      ? `${finds} in the index '${name}', which the table does not have: use one of ${all.map((index) => index.name).join(', ')}`
      : `${finds} in the index '${name}' with the keys ${keysText(index)}, but the table has it with ${keysText(own)}: use the index of the table`,
  );
}

/** `'GSI1PK' and 'GSI1SK'`, `'tenant' + 'region' and 'at' (N)` */
function keysText(keys: IndexNames): string {
  const { pk, sk } = keyParts(keys);
  const words = [pk, sk].map((parts) =>
    parts.map(({ name, type }) => `'${name}'${type === 'N' ? ' (N)' : ''}`).join(' + '),
  );
  return words.filter(Boolean).join(' and ');
}

/** @param finds what the rule finds there */
function checkPartition(table: TableNames, rule: Named, finds: string): void {
  if (table.sk !== undefined) return;
  throw refusalOf(rule)(
    'rule.no-partition',
    `${finds} in a partition, but without a sort key a partition has one item: use an index, or 'key' and 'keys'`,
  );
}

interface Named {
  readonly name: string;
}

/** What a rule creates must be all that the schema requires: by this rule, or by others that write to the same kind. */
function checkCreation(rule: BoundRule, writers: readonly BoundWriter[]): void {
  const { copy, located } = rule;
  const refuse = refusalOf(rule);
  if (located.in !== 'key' && located.in !== 'keys')
    throw refuse(
      'rule.cannot-create',
      "creates copies, but does not list their keys: locate them in 'key' or 'keys', or remove creates",
    );
  for (const name of requiredOf(rule)) {
    const all = writers.filter((one) => isSameKind(writtenKind(one), copy) && owns(one, name));
    const [writer] = all;
    if (writer === undefined) throw createsPart(rule, name);
    const mayLack = (one: BoundWriter) =>
      one.is === 'rule' &&
      !Object.hasOwn(one.derive, name) &&
      isOptional(one.root.attributes.shape[sourceName(one, name)]);
    if (all.every(mayLack) && writer.is === 'rule')
      throw refuse(
        'rule.creates-part',
        `creates ${copy.name} with '${name}' of ${writer.root.name}, which only the schema of ${copy.name} requires: require it in both schemas, or in neither`,
      );
  }
}

function createsPart(writer: BoundWriter, name: string): RuleError {
  const { name: kind } = writtenKind(writer);
  const fields = writer.is === 'aggregate' ? 'computes' : 'copies or derive';
  return refusalOf(writer)(
    'rule.creates-part',
    `creates ${kind} without '${name}', which its schema requires: add it to ${fields}, or make it optional in the schema`,
  );
}

/** A target that the aggregate makes must be all that the schema requires, and what it removes must come from nobody else. */
function checkMaking(
  aggregate: BoundAggregate,
  { rules, aggregates, archives, kinds }: BoundDefinitions,
): void {
  const { on } = aggregate;
  const refuse = refusalOf(aggregate);
  const others = [...rules, ...aggregates].filter(
    (one) => one.name !== aggregate.name && isSameKind(writtenKind(one), on),
  );
  const maker = others.find(({ creates }) => creates);
  if (maker !== undefined)
    throw refuse(
      'rule.made-twice',
      `and rule ${maker.name} both create ${on.name}, and neither could tell whose an item is: remove creates from one of them`,
    );
  const remover = others.find(
    (one) => one.is === 'rule' && policiesOf(one).some((policy) => policyEffects[policy].deletes),
  );
  if (remover !== undefined)
    throw refuse(
      'rule.made-twice',
      `creates ${on.name}, which rule ${remover.name} deletes, so that each would undo what the other does: set the removal policies of ${remover.name} to 'clear' or 'keep'`,
    );
  const known = [...kindsOf({ rules, aggregates, archives }), ...kinds];
  const overlapping = known.find((kind) => !isSameKind(kind, on) && kindsOverlap(kind, on));
  if (on.type === undefined && overlapping !== undefined)
    throw refuse(
      'rule.cannot-create',
      `creates ${on.name}, which has no type to tell it from ${overlapping.name}, whose keys may be the same: give ${on.name} a type, or keys of its own`,
    );
  const missing = requiredOf(aggregate).find((name) => !aggregate.isWritten(name));
  if (missing !== undefined) throw createsPart(aggregate, missing);
}

export function requiredOf(writer: BoundWriter): readonly string[] {
  const { table } = writer;
  const attributes = Object.entries(writtenKind(writer).attributes.shape);
  return attributes.flatMap(([name, schema]) => (isOptional(schema) || name === table.type ? [] : [name]));
}

/** An attribute that no schema lists may be there all the same. */
function isOptional(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && parsedBy(schema, undefined).success;
}
