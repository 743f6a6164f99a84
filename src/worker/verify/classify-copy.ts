import { equal } from '../../model/attribute-value.ts';
import { indexNamed } from '../../model/copy-location.ts';
import { attribute, type Item, type ItemKey, keyIn } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import type { RemovalPolicy, Rule } from '../../model/rule.ts';
import { owns } from '../../model/rule-attributes.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import { classify } from '../propagation/plan/classify.ts';
import { project } from '../propagation/plan/root-projection.ts';
import { rootNamedBy } from '../propagation/plan/rule-functions.ts';
import type { Discrepancy, Drift } from './drift.ts';
import { type Mapped, unmappedOn } from './unmapped-attributes.ts';

/**
 * How a copy compares with its root by one rule:
 * - `right`: as it should be, or not a copy of any root;
 * - `kept`: an orphan that a policy of the rule explains, or a copy at a key that its root has left and `onDelete` keeps;
 * - `unfindable`: missing from the index by which the rule finds copies, so no change reaches it;
 * - `drift`: not as it should be.
 */
export type CopyClassification =
  | { readonly is: 'right' | 'kept' | 'unfindable' }
  | {
      readonly is: 'drift';
      readonly drift: Drift;
      /** Item content, by attribute. */
      readonly discrepancies: Readonly<Record<string, Discrepancy>>;
    };

/** Which orphans count as drift: `unexplained`, if no policy of the rule explains them; `all`, unless every policy does. */
export type Orphans = 'unexplained' | 'all';

/**
 * The key of a copy's root. If the copy names no root: `right` if the rule says so on purpose, drift if the rule
 * cannot tell.
 */
export function rootNamed(table: TableNames, rule: Rule, copy: Item): ItemKey | CopyClassification {
  return unlessInvalid(
    () => rootNamedBy(table, rule, copy) ?? { is: 'right' },
    ({ concerns, code, message }) =>
      invalid(table, rule, copy, undefined, { concerns, code, reason: message }),
  );
}

/**
 * Compares a copy with its root, which must be read after the copy. Pure.
 * @param root undefined if it does not exist
 */
export function classifyCopy(
  registry: Mapped & Pick<Registry, 'table'>,
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
    case 'excluded':
      return { is: 'drift', drift: { ...drift, kind: 'excluded' }, discrepancies: {} };
    case 'elsewhere':
      if (rule.located.in === 'keys' || rule.creates)
        return explains(table, rule, copy, rule.onDelete)
          ? { is: 'kept' }
          : { is: 'drift', drift: { ...drift, kind: 'unlisted' }, discrepancies: {} };
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
  registry: Mapped & Pick<Registry, 'table'>,
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
 * Whether a policy explains a copy without root. The table does not tell whether a root was deleted or has expired,
 * so a policy for either case explains the orphan.
 */
function isExplained(table: TableNames, rule: Rule, copy: Item, orphans: Orphans): boolean {
  const explained = [rule.onDelete, rule.onExpire].map((policy) => explains(table, rule, copy, policy));
  return orphans === 'all' ? !explained.includes(false) : explained.includes(true);
}

/** Whether this is what the policy leaves of a copy. */
function explains(table: TableNames, rule: Rule, copy: Item, policy: RemovalPolicy): boolean {
  if (policy === 'clear') return !Object.keys(copy).some((name) => owns(table, rule, name));
  return policy === 'keep';
}

/** Whether the rule's index contains the copy: an index is sparse. */
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
  { concerns, code, reason }: Required<Pick<Drift, 'concerns' | 'code' | 'reason'>>,
): CopyClassification {
  const drift = draft(table, rule, copy, rootKey);
  return { is: 'drift', drift: { ...drift, kind: 'invalid', concerns, code, reason }, discrepancies: {} };
}

/** The fields that every kind of drift has. */
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
