import { RuleError, refusalOf } from '../basics/errors.ts';
import type { Item } from '../items/item.ts';
import type { TableNames } from '../items/table-names.ts';
import { type AnyKind, type BoundKind, bindKinds, isOfKind, isSameKind } from '../kinds/kind.ts';
import type { Aggregate } from './aggregate.ts';
import type { ArchiveRule } from './archive-rule.ts';
import {
  type BoundAggregate,
  type BoundArchiveRule,
  type BoundRule,
  type BoundWriter,
  bindAggregate,
  bindArchiveRule,
  bindRule,
} from './bound-rule.ts';
import { kindsReadBy } from './ledger.ts';
import type { Rule } from './rule.ts';
import { owns, writtenKind } from './rule-attributes.ts';
import { checkDefinitions, kindsOf } from './rule-checks.ts';

/** The rules of a project, bound to its table. */
export interface Registry {
  readonly table: TableNames;
  readonly rules: readonly BoundRule[];
  readonly archives: readonly BoundArchiveRule[];
  readonly aggregates: readonly BoundAggregate[];
  /** What is switched off: its items are of known kinds, and nothing is done about them. */
  readonly disabled: Pick<Registry, 'rules' | 'archives' | 'aggregates'>;
  /** All that the project names, those of disabled rules included. */
  readonly kinds: readonly BoundKind[];
  /** Undefined in a message from an older deployment. */
  rule(name: string): BoundRule | undefined;
  aggregate(name: string): BoundAggregate | undefined;
}

/** @throws RuleError for the first invalid rule, disabled ones included, or for a disabled name that no rule has */
export function makeRegistry(
  table: TableNames,
  rules: readonly Rule[],
  archives: readonly ArchiveRule[] = [],
  disabled: readonly string[] = [],
  aggregates: readonly Aggregate[] = [],
  kinds: readonly AnyKind[] = [],
): Registry {
  const names = [...rules, ...archives, ...aggregates].map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw refusalOf({ name: twice })('rule.twice', 'is listed twice: give one of the two another name');
  const known = [...new Set([...kindsOf({ rules, aggregates, archives }, kindsReadBy), ...kinds])];
  const bind = bindKinds(table, known);
  const boundRules = rules.map((rule) => bindRule(table, rule, bind));
  const isWrittenOn = (kind: AnyKind, name: string): boolean =>
    [...boundRules, ...bound.aggregates].some((one) => isSameKind(writtenKind(one), kind) && owns(one, name));
  const bound = {
    table,
    rules: boundRules,
    aggregates: aggregates.map((aggregate) => bindAggregate(table, aggregate, bind, isWrittenOn)),
    archives: archives.map((rule) => bindArchiveRule(table, rule, bind)),
    kinds: kinds.map(bind),
  };
  checkDefinitions(bound);
  for (const name of disabled)
    if (!names.includes(name))
      throw new RuleError(
        'rule.unknown',
        `Expected each disabled rule to be one of ${names.join(', ')}, got '${name}'`,
        { rule: name },
      );
  const isDisabled = ({ name }: { readonly name: string }) => disabled.includes(name);
  const isEnabled = (one: { readonly name: string }) => !isDisabled(one);
  const byName = new Map(bound.rules.filter(isEnabled).map((rule) => [rule.name, rule]));
  const aggregateByName = new Map(bound.aggregates.filter(isEnabled).map((one) => [one.name, one]));
  return {
    table,
    rules: [...byName.values()],
    archives: bound.archives.filter(isEnabled),
    aggregates: [...aggregateByName.values()],
    disabled: {
      rules: bound.rules.filter(isDisabled),
      archives: bound.archives.filter(isDisabled),
      aggregates: bound.aggregates.filter(isDisabled),
    },
    kinds: known.map(bind),
    rule: (name) => byName.get(name),
    aggregate: (name) => aggregateByName.get(name),
  };
}

/** Whether a rule or an aggregate of this name is in force. */
export function isInForce({ rule, aggregate }: Pick<Registry, 'rule' | 'aggregate'>, name: string): boolean {
  return (rule(name) ?? aggregate(name)) !== undefined;
}

/**
 * One rule or aggregate of a project without its others, as its tests, examples and costs have it. What such a rule needs beside
 * it is added here.
 */
export function registryOfOne(writer: BoundWriter, archives: readonly ArchiveRule[] = []): Registry {
  return writer.is === 'rule'
    ? makeRegistry(writer.table, [writer], archives)
    : makeRegistry(writer.table, [], archives, [], [writer]);
}

/** Undefined if no rule archives the item. */
export function archivedAs(
  { archives }: Pick<Registry, 'archives'>,
  item: Item,
): { readonly rule: BoundArchiveRule; readonly kind: BoundKind } | undefined {
  for (const rule of archives) {
    const kind = rule.kinds.find((one) => isOfKind(one, item));
    if (kind !== undefined) return { rule, kind };
  }
  return undefined;
}
