import type { Aggregate } from './aggregate.ts';
import type { ArchiveRule } from './archive-rule.ts';
import { RuleError, refusalOf } from './errors.ts';
import type { Item } from './item.ts';
import { type AnyKind, isOfKind } from './kind.ts';
import { kindsReadBy } from './ledger.ts';
import { narrowing } from './narrower-kinds.ts';
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
  /** All that the project names, those of disabled rules included. */
  readonly kinds: readonly AnyKind[];
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
  kinds: readonly AnyKind[] = [],
): Registry {
  const names = [...rules, ...archives, ...aggregates].map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw refusalOf({ name: twice })('rule.twice', 'is listed twice: give one of the two another name');
  checkDefinitions({ table, rules, aggregates, archives, kinds });
  for (const name of disabled)
    if (!names.includes(name))
      throw new RuleError(
        'rule.unknown',
        `Expected each disabled rule to be one of ${names.join(', ')}, got '${name}'`,
        { rule: name },
      );
  const isDisabled = ({ name }: { readonly name: string }) => disabled.includes(name);
  const isEnabled = (one: { readonly name: string }) => !isDisabled(one);
  const narrowed = withNarrowedKinds({ rules, archives, aggregates, kinds });
  const byName = new Map(narrowed.rules.filter(isEnabled).map((rule) => [rule.name, rule]));
  const aggregateByName = new Map(narrowed.aggregates.filter(isEnabled).map((one) => [one.name, one]));
  return {
    table,
    rules: [...byName.values()],
    archives: narrowed.archives.filter(isEnabled),
    aggregates: [...aggregateByName.values()],
    disabled: {
      rules: narrowed.rules.filter(isDisabled),
      archives: narrowed.archives.filter(isDisabled),
      aggregates: narrowed.aggregates.filter(isDisabled),
    },
    kinds: [...new Set([...kindsOf(narrowed, kindsReadBy), ...narrowed.kinds])],
    rule: (name) => byName.get(name),
    aggregate: (name) => aggregateByName.get(name),
  };
}

type Defined = Pick<Registry, 'rules' | 'archives' | 'aggregates' | 'kinds'>;

/** Rules take an item for the most specific kind that the project names. */
function withNarrowedKinds(all: Defined): Defined {
  const known = [...kindsOf(all, kindsReadBy), ...all.kinds];
  const narrow = narrowing(known);
  if (known.every((kind) => narrow(kind) === kind)) return all;
  const narrowKind = <Some extends { readonly kind: AnyKind }>(one: Some) => ({
    ...one,
    kind: narrow(one.kind),
  });
  return {
    rules: all.rules.map((rule) => ({ ...rule, root: narrow(rule.root), copy: narrow(rule.copy) })),
    aggregates: all.aggregates.map((one) => ({ ...one, of: narrow(one.of), on: narrow(one.on) })),
    archives: all.archives.map((rule) => ({
      ...{ ...rule, kinds: rule.kinds.map(narrow), when: rule.when.map(narrowKind) },
      ages: rule.ages && { ...narrowKind(rule.ages), with: rule.ages.with.map(narrowKind) },
    })),
    kinds: all.kinds.map(narrow),
  };
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
