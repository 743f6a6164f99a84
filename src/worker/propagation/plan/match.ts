import { type Change, inSequence } from '../../../model/change.ts';
import { type CopyLocation, distinctLocations } from '../../../model/copy-location.ts';
import { InvalidItemError } from '../../../model/errors.ts';
import { type Item, type ItemKey, sameKey } from '../../../model/item.ts';
import { ofKind } from '../../../model/kind.ts';
import type { Cause } from '../../../model/message.ts';
import type { Registry } from '../../../model/registry.ts';
import type { Rule } from '../../../model/rule.ts';
import { onlyRemoves } from '../../../model/rule-attributes.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { unlessInvalid } from '../../../model/unless-invalid.ts';
import { differencesFromItself, differencesOfCopy, differencesOfRoot, hasAny } from './differences.ts';
import { type Absence, absenceOf, type Presence } from './presence.ts';
import { isExcluded, locationsOf, rootOrFault } from './rule-functions.ts';

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
      const matching = ordered.find((change) => isOutdated(itselfIn(registry.table, rule, change)));
      if (matching !== undefined) propagations.push(propagationOfItself(rule, matching.key));
      continue;
    }
    const merged = merge(
      ordered
        .map((change) => propagationOfRoot(registry.table, rule, change))
        .filter((found) => typeof found !== 'string'),
    );
    if (merged !== undefined) propagations.push(merged);
    let fault: InvalidItemError | undefined;
    for (const change of ordered) {
      const root = checkedRoot(registry.table, rule, change);
      if (root instanceof InvalidItemError) fault = root;
      else if (root !== undefined) checks.push({ rule, root, copy: change.key, image: change.after });
      const lost = rule.creates ? lostRoot(registry.table, rule, change) : undefined;
      if (lost !== undefined) checks.push({ rule, root: lost, copy: change.key, image: undefined });
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
  readonly because: 'new' | 'differs' | 'deleted' | 'expired' | 'kept' | 'excluded';
  /** The rule does not apply to the root any more, which does not say either where its copies were. */
  readonly withdraws?: boolean;
};

/**
 * The propagation that a change of a root asks for, or why it asks for none. Of a removed root, `kept`: the policy keeps its
 * copies; `excluded`: the rule did not apply to it.
 */
export function propagationOfRoot(
  table: TableNames,
  rule: Rule,
  change: Change,
): Asking | Absence | 'same' | 'only-removes' {
  const before = ofKind(table, rule.root, change.before);
  const after = ofKind(table, rule.root, change.after);
  const propagation = { rule, root: change.key };
  if (after === undefined) {
    const absence = absenceOf(before, change);
    if (before === undefined || absence !== 'removed') return absence;
    const [cause, policy] = change.expired
      ? (['expired', rule.onExpire] as const)
      : (['deleted', rule.onDelete] as const);
    const left = locationsOf(table, rule, before);
    // Its copies were removed when it withdrew them.
    const because = policy === 'keep' ? 'kept' : withdraws(table, rule, before, left) ? 'excluded' : cause;
    return { ...propagation, cause, locations: left, asks: because === cause, because };
  }
  if (before === undefined && onlyRemoves(rule)) return 'only-removes';
  if (before !== undefined && !hasAny(differencesOfRoot(table, rule, before, after))) return 'same';
  const earlier = before === undefined ? [] : locationsOf(table, rule, before);
  const now = locationsOf(table, rule, after);
  return {
    ...propagation,
    cause: 'changed',
    locations: [...earlier, ...now],
    asks: true,
    because: before === undefined ? 'new' : 'differs',
    withdraws: withdraws(table, rule, after, now),
  };
}

/** Whether the rule does not apply to the root, which then need not say where its copies would be. */
function withdraws(table: TableNames, rule: Rule, root: Item, located: readonly CopyLocation[]): boolean {
  return located.length === 0 && isExcluded(table, rule, root);
}

/** What a change makes of an item that is its own copy: compared with its projection, whoever wrote it. */
export function itselfIn(
  table: TableNames,
  rule: Rule,
  change: Change,
): Absence | 'right' | 'wrong' | 'invalid' | 'invalid-as-before' {
  const after = ofKind(table, rule.root, change.after);
  if (after === undefined) return absenceOf(ofKind(table, rule.root, change.before), change);
  return unlessInvalid(
    () => (differencesFromItself(table, rule, after).length > 0 ? 'wrong' : 'right'),
    () =>
      change.before === undefined || hasAny(differencesOfRoot(table, rule, change.before, after))
        ? 'invalid'
        : 'invalid-as-before',
  );
}

/** Whether an item that is its own copy matches: if it is not its own projection, or can no longer be projected. */
export function isOutdated(is: ReturnType<typeof itselfIn>): boolean {
  return is === 'wrong' || is === 'invalid';
}

function propagationOfItself(rule: Rule, root: ItemKey): Propagation {
  return { rule, root, cause: 'changed', locations: [{ in: 'key', ...root }] };
}

/** What a change makes of a copy. One that is `new` or `differs` is checked against the root that it names. */
export function copyIn(table: TableNames, rule: Rule, change: Change): Presence | 'only-removes' {
  const before = ofKind(table, rule.copy, change.before);
  const after = ofKind(table, rule.copy, change.after);
  if (after === undefined) return absenceOf(before, change);
  if (onlyRemoves(rule)) return 'only-removes';
  if (before === undefined) return 'new';
  return hasAny(differencesOfCopy(table, rule, before, after)) ? 'differs' : 'same';
}

/** The root with which a changed copy is to be compared, or how `rootOf` fails on it. */
export function checkedRoot(
  table: TableNames,
  rule: Rule,
  change: Change,
): ItemKey | InvalidItemError | undefined {
  const is = copyIn(table, rule, change);
  if (change.after === undefined || (is !== 'new' && is !== 'differs')) return undefined;
  return rootOrFault(table, rule, change.after);
}

/** The root of a copy that is gone, or names it no longer: the root may still place it there, if the rule creates copies. */
export function lostRoot(table: TableNames, rule: Rule, change: Change): ItemKey | undefined {
  const root = rootNamedIn(table, rule, change.before);
  if (root === undefined) return undefined;
  const named = rootNamedIn(table, rule, change.after);
  return named !== undefined && sameKey(named, root) ? undefined : root;
}

function rootNamedIn(table: TableNames, rule: Rule, image: Item | undefined): ItemKey | undefined {
  const copy = ofKind(table, rule.copy, image);
  const root = copy && rootOrFault(table, rule, copy);
  return root instanceof InvalidItemError ? undefined : root;
}
