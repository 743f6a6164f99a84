import { type Change, inSequence } from '../../../model/change.ts';
import { type CopyLocation, distinctLocations } from '../../../model/copy-location.ts';
import type { InvalidItemError } from '../../../model/errors.ts';
import { type Item, type ItemKey, sameKey } from '../../../model/item.ts';
import { ofKind } from '../../../model/kind.ts';
import type { Cause } from '../../../model/message.ts';
import type { Registry } from '../../../model/registry.ts';
import type { Rule } from '../../../model/rule.ts';
import { onlyRemoves } from '../../../model/rule-attributes.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { unlessInvalid } from '../../../model/unless-invalid.ts';
import { differencesFromItself, differencesOfCopy, differencesOfRoot, hasAny } from './differences.ts';
import { isExcluded, locationsOf, rootOf } from './rule-functions.ts';

/** A propagation to run. Without locations, it reads the root to learn where the copies are. */
export interface Propagation {
  readonly rule: Rule;
  readonly root: ItemKey;
  readonly cause: Cause;
  readonly locations: readonly CopyLocation[] | undefined;
}

/** A copy from the stream, to be compared with its root. */
export interface Check {
  readonly rule: Rule;
  readonly root: ItemKey;
  readonly copy: ItemKey;
  /** Undefined if the item is no longer a copy of this root: the rule may have to create it again. */
  readonly image: Item | undefined;
}

/** What the changes of one item match. A rule matches once, if any of the changes matches. */
export interface Matches {
  readonly propagations: readonly Propagation[];
  readonly checks: readonly Check[];
  /** One for each rule whose `rootOf` fails on the item: nothing tells whose copy it is. */
  readonly refused: readonly InvalidItemError[];
}

/** Finds the rules that the changes of one item match. It sends no request, so a change that concerns no rule costs nothing. */
export function matchRules(registry: Registry, changes: readonly Change[]): Matches {
  const ordered = inSequence(changes);
  const propagations: Propagation[] = [];
  const checks: Check[] = [];
  const refused: InvalidItemError[] = [];
  for (const rule of registry.rules) {
    if (rule.located.in === 'itself') {
      const matching = ordered.find((change) => matchesItself(registry.table, rule, change));
      if (matching !== undefined) propagations.push(propagationOfItself(rule, matching.key));
      continue;
    }
    const merged = merge(ordered.flatMap((change) => propagationOfRoot(registry.table, rule, change) ?? []));
    if (merged !== undefined) propagations.push(merged);
    let fault: InvalidItemError | undefined;
    for (const change of ordered) {
      const check = unlessInvalid(
        () => checkOfCopy(registry.table, rule, change),
        (error) => {
          fault = error;
          return undefined;
        },
      );
      if (check !== undefined) checks.push(check);
      const lost = rule.creates ? checkOfLostCopy(registry.table, rule, change, check) : undefined;
      if (lost !== undefined) checks.push(lost);
    }
    if (fault !== undefined) refused.push(fault);
  }
  return { propagations, checks, refused };
}

/**
 * Merges the propagations of one root and rule. The last removal decides the cause, because the propagation reads the root
 * in any case. A root that has withdrawn its copies in the end counts as deleted: if it is gone by then, only this message
 * says where they are. The locations are in the order in which the root used them, so the last one is its latest.
 */
function merge(propagations: readonly Asking[]): Propagation | undefined {
  const asking = propagations.find(({ asks }) => asks);
  if (asking === undefined) return undefined;
  const removal = propagations.findLast((propagation) => propagation.cause !== 'changed');
  const cause = removal?.cause ?? (propagations.at(-1)?.withdraws ? 'deleted' : 'changed');
  const locations = distinctLocations(propagations.flatMap((propagation) => propagation.locations));
  return {
    rule: asking.rule,
    root: asking.root,
    cause,
    locations: locations.length === 0 ? undefined : locations,
  };
}

/** A removal that leaves nothing to do asks for no propagation, but its cause replaces that of an earlier removal. */
type Asking = Propagation & {
  readonly locations: readonly CopyLocation[];
  readonly asks: boolean;
  /** The rule does not apply to the root any more, which does not say either where its copies were. */
  readonly withdraws?: boolean;
};

function propagationOfRoot(table: TableNames, rule: Rule, change: Change): Asking | undefined {
  const before = ofKind(table, rule.root, change.before);
  const after = ofKind(table, rule.root, change.after);
  const propagation = { rule, root: change.key };
  if (after === undefined) {
    if (before === undefined || change.after !== undefined) return undefined;
    const [cause, policy] = change.expired
      ? (['expired', rule.onExpire] as const)
      : (['deleted', rule.onDelete] as const);
    const left = locationsOf(table, rule, before);
    // Its copies were removed when it withdrew them.
    const asks = policy !== 'keep' && !withdraws(table, rule, before, left);
    return { ...propagation, cause, locations: left, asks };
  }
  if (before === undefined ? onlyRemoves(rule) : !hasAny(differencesOfRoot(table, rule, before, after)))
    return undefined;
  const earlier = before === undefined ? [] : locationsOf(table, rule, before);
  const now = locationsOf(table, rule, after);
  return {
    ...propagation,
    cause: 'changed',
    locations: [...earlier, ...now],
    asks: true,
    withdraws: withdraws(table, rule, after, now),
  };
}

/** Whether the rule does not apply to the root, which then need not say where its copies would be. */
function withdraws(table: TableNames, rule: Rule, root: Item, located: readonly CopyLocation[]): boolean {
  return located.length === 0 && isExcluded(table, rule, root);
}

/** An item that is its own copy matches if it is not its own projection, whoever wrote it. */
function matchesItself(table: TableNames, rule: Rule, change: Change): boolean {
  const after = ofKind(table, rule.root, change.after);
  if (after === undefined) return false;
  return unlessInvalid(
    () => hasAny(differencesFromItself(table, rule, after)),
    () => change.before === undefined || hasAny(differencesOfRoot(table, rule, change.before, after)),
  );
}

function propagationOfItself(rule: Rule, root: ItemKey): Propagation {
  return { rule, root, cause: 'changed', locations: [{ in: 'key', ...root }] };
}

/** A copy that a rule creates and that is gone, or no longer names its root, is checked: the root may still place it. */
function checkOfLostCopy(
  table: TableNames,
  rule: Rule,
  change: Change,
  now: Check | undefined,
): Check | undefined {
  const before = ofKind(table, rule.copy, change.before);
  const root =
    before &&
    unlessInvalid(
      () => rootOf(table, rule, before),
      () => undefined,
    );
  if (root === undefined || (now !== undefined && sameKey(now.root, root))) return undefined;
  const after = ofKind(table, rule.copy, change.after);
  const named =
    after &&
    unlessInvalid(
      () => rootOf(table, rule, after),
      () => undefined,
    );
  if (named !== undefined && sameKey(named, root)) return undefined;
  return { rule, root, copy: change.key, image: undefined };
}

function checkOfCopy(table: TableNames, rule: Rule, change: Change): Check | undefined {
  const before = ofKind(table, rule.copy, change.before);
  const after = ofKind(table, rule.copy, change.after);
  if (after === undefined || onlyRemoves(rule)) return undefined;
  if (before !== undefined && !hasAny(differencesOfCopy(table, rule, before, after))) return undefined;
  const root = rootOf(table, rule, after);
  return root && { rule, root, copy: change.key, image: after };
}
