import type { Aggregate } from './aggregate.ts';
import type { ArchiveRule } from './archive-rule.ts';
import { RuleError, refusalOf } from './errors.ts';
import type { Item } from './item.ts';
import { type AnyKind, isOfKind } from './kind.ts';
import { kindsReadBy } from './ledger.ts';
import type { Rule } from './rule.ts';
import { checkDefinitions, kindsOf } from './rule-checks.ts';
import type { TableNames } from './table-names.ts';

export interface Registry {
  readonly table: TableNames;
  readonly rules: readonly Rule[];
  readonly archives: readonly ArchiveRule[];
  readonly aggregates: readonly Aggregate[];
  /** What is switched off: its items are of known kinds, and nothing is done about them. */
  readonly disabled: Pick<Registry, 'rules' | 'archives' | 'aggregates'>;
  /** Undefined in a message from an older deployment. */
  rule(name: string): Rule | undefined;
  aggregate(name: string): Aggregate | undefined;
}

/** @throws RuleError for the first invalid rule, disabled ones included, or for a disabled name that no rule has */
export function makeRegistry(
  table: TableNames,
  rules: readonly Rule[],
  archives: readonly ArchiveRule[] = [],
  disabled: readonly string[] = [],
  aggregates: readonly Aggregate[] = [],
): Registry {
  const names = [...rules, ...archives, ...aggregates].map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw refusalOf({ name: twice })('rule.twice', 'is listed twice: give one of the two another name');
  checkDefinitions({ table, rules, aggregates, archives });
  for (const name of disabled)
    if (!names.includes(name))
      throw new RuleError(
        'rule.unknown',
        `Expected each disabled rule to be one of ${names.join(', ')}, got '${name}'`,
        { rule: name },
      );
  const isDisabled = ({ name }: { readonly name: string }) => disabled.includes(name);
  const isEnabled = (one: { readonly name: string }) => !isDisabled(one);
  const byName = new Map(rules.filter(isEnabled).map((rule) => [rule.name, rule]));
  const aggregateByName = new Map(aggregates.filter(isEnabled).map((one) => [one.name, one]));
  return {
    table,
    rules: [...byName.values()],
    archives: archives.filter(isEnabled),
    aggregates: [...aggregateByName.values()],
    disabled: {
      rules: rules.filter(isDisabled),
      archives: archives.filter(isDisabled),
      aggregates: aggregates.filter(isDisabled),
    },
    rule: (name) => byName.get(name),
    aggregate: (name) => aggregateByName.get(name),
  };
}

export function allKinds(all: Pick<Registry, 'rules' | 'archives' | 'aggregates'>): readonly AnyKind[] {
  return [...new Set(kindsOf(all, kindsReadBy))];
}

/** Undefined if no rule archives the item. */
export function archivedAs(
  { table, archives }: Pick<Registry, 'table' | 'archives'>,
  item: Item,
): { readonly rule: ArchiveRule; readonly kind: AnyKind } | undefined {
  for (const rule of archives) {
    const kind = rule.kinds.find((one) => isOfKind(table, one, item));
    if (kind !== undefined) return { rule, kind };
  }
  return undefined;
}
