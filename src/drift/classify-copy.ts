import { equal } from '../model/attribute-value.ts';
import { indexNamed } from '../model/copy-location.ts';
import { attribute, type Item, type ItemKey, keyIn } from '../model/item.ts';
import { isOfKind } from '../model/kind.ts';
import type { Registry } from '../model/registry.ts';
import type { RemovalPolicy, Rule } from '../model/rule.ts';
import { owns } from '../model/rule-attributes.ts';
import type { TableNames } from '../model/table-names.ts';
import { unlessInvalid } from '../model/unless-invalid.ts';
import { classify } from '../propagation/plan/classify.ts';
import { project } from '../propagation/plan/plan-update.ts';
import { rootNamedBy } from '../propagation/plan/rule-functions.ts';
import type { Discrepancy, Drift } from './drift.ts';
import { unmappedOn } from './unmapped-attributes.ts';

/**
 * What a copy is found to be by one rule:
 * - `right`: what it should be, or nobody's copy;
 * - `kept`: an orphan that a policy of the rule explains;
 * - `unfindable`: it is not on the index by which the rule finds copies, so that no change ever reaches it;
 * - `drift`: not what it should be.
 */
export type CopyClassification =
  | { readonly is: 'right' | 'kept' | 'unfindable' }
  | {
      readonly is: 'drift';
      readonly drift: Drift;
      /** Item content, by attribute. */
      readonly discrepancies: Readonly<Record<string, Discrepancy>>;
    };

/** Which orphans are called drift: those that no policy of their rule explains, or those that not every one does. */
export type Orphans = 'unexplained' | 'all';

/** The rules by which an item is a copy. */
export function rulesOfCopy(
  { table, rules }: Pick<Registry, 'table' | 'rules'>,
  item: Item,
): readonly Rule[] {
  return rules.filter((rule) => isOfKind(table, rule.copy, item));
}

/**
 * The root that a copy names, or what it is where it names none: `right` where the rule says that it is nobody's copy,
 * drift where it cannot say.
 */
export function rootNamed(table: TableNames, rule: Rule, copy: Item): ItemKey | CopyClassification {
  return unlessInvalid(
    () => rootNamedBy(table, rule, copy) ?? { is: 'right' },
    ({ code, message }) => invalid(table, rule, copy, undefined, { code, reason: message }),
  );
}

/**
 * Judges a copy against the root that it names, as that was read after the copy. Pure.
 * @param root undefined where it is not there
 */
export function classifyCopy(
  registry: Pick<Registry, 'table' | 'rules'>,
  rule: Rule,
  copy: Item,
  rootKey: ItemKey,
  root: Item | undefined,
  orphans: Orphans = 'unexplained',
): CopyClassification {
  const { table } = registry;
  const drift = draft(table, rule, copy, rootKey);
  const finding = classify(table, rule, rootKey, root, copy);
  switch (finding.is) {
    case 'equal':
      return { is: 'right' };
    case 'orphan':
      return isExplained(table, rule, copy, orphans)
        ? { is: 'kept' }
        : { is: 'drift', drift: { ...drift, kind: 'orphan' }, discrepancies: {} };
    case 'elsewhere':
      return isFindable(table, rule, copy)
        ? { is: 'drift', drift: { ...drift, kind: 'foreign' }, discrepancies: {} }
        : { is: 'unfindable' };
    case 'refused':
      return invalid(table, rule, copy, rootKey, finding);
    case 'differs':
      return differing(registry, rule, copy, root ?? copy, drift);
  }
}

function differing(
  registry: Pick<Registry, 'table' | 'rules'>,
  rule: Rule,
  copy: Item,
  root: Item,
  drift: Draft,
): CopyClassification {
  const discrepancies = Object.fromEntries(
    [...project(registry.table, rule, root, copy)].flatMap(([name, wanted]) => {
      const is = attribute(copy, name);
      return equal(is, wanted) ? [] : [[name, { is, wanted }] as const];
    }),
  );
  const removed = Object.entries(discrepancies).flatMap(([name, { wanted }]) =>
    wanted === undefined ? [name] : [],
  );
  return {
    is: 'drift',
    drift: {
      ...drift,
      kind: rule.located.in === 'itself' ? 'derived' : 'differs',
      attributes: Object.keys(discrepancies).sort(),
      unmapped: unmappedOn(registry, drift.copy, removed).toSorted(),
    },
    discrepancies,
  };
}

/**
 * Whether a policy explains that a copy is there and its root is not. Nothing in the table says whether a root was deleted
 * or has expired: where the rule keeps copies in one of the two cases, an orphan may be one of those.
 */
function isExplained(table: TableNames, rule: Rule, copy: Item, orphans: Orphans): boolean {
  function explains(policy: RemovalPolicy): boolean {
    if (policy === 'clear') return !Object.keys(copy).some((name) => owns(table, rule, name));
    return policy === 'keep';
  }
  const policies = [rule.onDelete, rule.onExpire];
  return orphans === 'all' ? policies.every(explains) : policies.some(explains);
}

/** Whether a rule that finds copies by an index could find this one at all: an index is sparse. */
function isFindable(table: TableNames, rule: Rule, copy: Item): boolean {
  if (rule.located.in !== 'index') return true;
  const index = indexNamed(table, rule.located.index.name);
  return (
    index === undefined ||
    (attribute(copy, index.pk) !== undefined && attribute(copy, index.sk) !== undefined)
  );
}

function invalid(
  table: TableNames,
  rule: Rule,
  copy: Item,
  rootKey: ItemKey | undefined,
  { code, reason }: { readonly code: string; readonly reason: string },
): CopyClassification {
  const drift = draft(table, rule, copy, rootKey);
  return { is: 'drift', drift: { ...drift, kind: 'invalid', code, reason }, discrepancies: {} };
}

/** What every drift of a copy says. */
type Draft = Omit<Drift, 'kind'>;

function draft(table: TableNames, rule: Rule, copy: Item, rootKey: ItemKey | undefined): Draft {
  return {
    rule: rule.name,
    copy: keyIn(table, copy),
    ...(rootKey && { root: rootKey }),
    attributes: [],
    unmapped: [],
  };
}
