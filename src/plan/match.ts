import { InvalidItemError, unlessInvalid } from '../model/basics/errors.ts';
import { type Change, inSequence } from '../model/items/change.ts';
import { type CopyLocation, distinctLocations } from '../model/items/copy-location.ts';
import { type Item, type ItemKey, sameKey } from '../model/items/item.ts';
import { ofKind } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import type { Registry } from '../model/rules/registry.ts';
import { policyEffects } from '../model/rules/rule.ts';
import { onlyRemoves } from '../model/rules/rule-attributes.ts';
import type { Cause, Message } from '../model/work/message.ts';
import { matchAggregate } from './match-aggregate.ts';
import { differencesFrom, RootProjection } from './projection.ts';
import { isExcluded, isUnlinked, locationsOf, rootOrFault } from './rule-functions.ts';
import { type Absence, differ, type Presence, presenceOf, watchedCopy, watchedRoot } from './watched.ts';

/** A copy to be compared with its root. */
export interface Check {
  readonly rule: BoundRule;
  readonly root: ItemKey;
  readonly copy: ItemKey;
  /** Undefined if the item is gone: the rule may have to create it again. */
  readonly image: Item | undefined;
}

/** A rule matches once; an aggregate once for each target, which is not checked first: to compare it is to compute it. */
export interface Matches {
  /** Without locations, a propagation of a rule reads the root to learn where the copies are. */
  readonly propagations: readonly Message[];
  readonly checks: readonly Check[];
  /** One for each `rootOf` or `targetsOf` that fails on the item: nothing tells whose it is. */
  readonly faults: readonly InvalidItemError[];
}

/** Sends no request, so a change that concerns no rule costs nothing. What is invalid is in `refused`, and never thrown. */
export function matchChanges(registry: Registry, changes: readonly Change[]): Matches {
  const ordered = inSequence(changes);
  const matches = [
    ...registry.rules.map((rule) => matchRule(rule, ordered)),
    ...registry.aggregates.map((aggregate) => ({
      ...matchAggregate(aggregate, ordered),
      checks: [],
    })),
  ];
  return {
    propagations: matches.flatMap(({ propagations }) => propagations),
    checks: matches.flatMap(({ checks }) => checks),
    faults: matches.flatMap(({ faults }) => faults),
  };
}

function matchRule(rule: BoundRule, ordered: readonly Change[]): Matches {
  if (rule.located.in === 'itself') {
    const matching = ordered.find((change) => isOutdated(itselfIn(rule, change)));
    return {
      propagations: matching ? [propagationOfItself(rule, matching.key)] : [],
      checks: [],
      faults: [],
    };
  }
  const checks: Check[] = [];
  let fault: InvalidItemError | undefined;
  for (const change of ordered) {
    const root = checkedRoot(rule, change);
    if (root instanceof InvalidItemError) fault = root;
    else if (root !== undefined) checks.push({ rule, root, copy: change.key, image: change.after });
    const lost = lostRoot(rule, change);
    if (lost !== undefined && (rule.creates || isUnlinked(rule, change.after)))
      checks.push({ rule, root: lost, copy: change.key, image: change.after });
  }
  const found = ordered
    .map((change) => propagationOfRoot(rule, change))
    .filter((one) => typeof one !== 'string');
  return { propagations: merge(rule, found), checks, faults: fault === undefined ? [] : [fault] };
}

/**
 * The last removal decides the cause, because the propagation reads the root in any case. A root that has withdrawn its copies
 * in the end counts as deleted: if it is gone by then, only this message says where they are. The locations are in the order in
 * which the root used them.
 */
function merge({ name }: BoundRule, propagations: readonly PropagationOfChange[]): readonly Message[] {
  const asking = propagations.find(({ asks }) => asks);
  if (asking === undefined) return [];
  const removal = propagations.findLast((propagation) => propagation.cause !== 'changed');
  const cause = removal?.cause ?? (propagations.at(-1)?.withdraws ? 'deleted' : 'changed');
  const locations = distinctLocations(propagations.flatMap((propagation) => propagation.locations));
  const where = locations.length > 0 && { locations };
  return [{ rule: name, root: asking.root, cause, ...where, attempts: 0 }];
}

/** A removal that leaves nothing to do asks for none, but its cause replaces that of an earlier removal. */
interface PropagationOfChange {
  readonly root: ItemKey;
  readonly cause: Cause;
  readonly locations: readonly CopyLocation[];
  readonly asks: boolean;
  readonly because: 'new' | 'differs' | 'deleted' | 'expired' | 'left-kind' | 'kept' | 'excluded';
  /** The rule does not apply to the root any more, which does not say either where its copies were. */
  readonly withdraws?: boolean;
}

/**
 * Or why it asks for none. Of a removed root, `kept`: the policy keeps its copies; `excluded`: the rule did not apply. A root that
 * became an item of another kind was deleted, whatever becomes of that item.
 */
export function propagationOfRoot(
  rule: BoundRule,
  change: Change,
): PropagationOfChange | 'unconcerned' | 'same' | 'only-removes' {
  const is = presenceOf(watchedRoot(rule), change);
  const { key: root, before = {}, after = {} } = change;
  switch (is) {
    case 'unconcerned':
    case 'same':
      return is;
    case 'left-kind':
    case 'removed': {
      // While the rule does not apply, the root counts as deleted: it does not expire then.
      const [cause, policy] =
        change.expired && !isExcluded(rule, before)
          ? (['expired', rule.onExpire] as const)
          : (['deleted', rule.onDelete] as const);
      const former = locationsOf(rule, before);
      // Its copies were removed when it withdrew them.
      const kept = policyEffects[policy].keeps
        ? 'kept'
        : withdraws(rule, before, former)
          ? 'excluded'
          : undefined;
      const because = kept ?? (is === 'left-kind' ? is : cause);
      return { root, cause, locations: former, asks: kept === undefined, because };
    }
    case 'new':
    case 'differs': {
      if (is === 'new' && onlyRemoves(rule)) return 'only-removes';
      const earlier = is === 'new' ? [] : locationsOf(rule, before);
      const now = locationsOf(rule, after);
      return {
        root,
        cause: 'changed',
        locations: [...earlier, ...now],
        asks: true,
        because: is,
        withdraws: withdraws(rule, after, now),
      };
    }
  }
}

/** A root that the rule does not apply to need not say where its copies would be. */
function withdraws(rule: BoundRule, root: Item, located: readonly CopyLocation[]): boolean {
  return located.length === 0 && isExcluded(rule, root);
}

/** An item that is its own copy is compared with its projection, whoever wrote it. */
export function itselfIn(
  rule: BoundRule,
  change: Change,
): Absence | 'right' | 'wrong' | 'invalid' | 'invalid-as-before' {
  const watched = watchedRoot(rule);
  const is = presenceOf(watched, change);
  if (is === 'unconcerned' || is === 'removed' || is === 'left-kind') return is;
  const { before, after = {} } = change;
  return unlessInvalid(
    () => {
      const root = new RootProjection(rule, after);
      if (differencesFrom(root.on(after), after).length > 0) return 'wrong';
      if (root.fault !== undefined) throw root.fault;
      return 'right';
    },
    () => (before === undefined || differ(watched, before, after) ? 'invalid' : 'invalid-as-before'),
  );
}

/** It is not its own projection, or can no longer be projected. */
export function isOutdated(is: ReturnType<typeof itselfIn>): boolean {
  return is === 'wrong' || is === 'invalid';
}

function propagationOfItself({ name }: BoundRule, root: ItemKey): Message {
  return { rule: name, root, cause: 'changed', locations: [{ in: 'key', ...root }], attempts: 0 };
}

/** A copy that is `new` or `differs` is checked against the root that it names. */
export function copyIn(rule: BoundRule, change: Change): Presence | 'only-removes' {
  const is = presenceOf(watchedCopy(rule), change);
  const isThere = is === 'new' || is === 'differs' || is === 'same';
  return isThere && onlyRemoves(rule) ? 'only-removes' : is;
}

/** The root of a copy that is to be checked, or how `rootOf` fails on the copy. */
export function checkedRoot(rule: BoundRule, change: Change): ItemKey | InvalidItemError | undefined {
  const is = copyIn(rule, change);
  if (change.after === undefined || (is !== 'new' && is !== 'differs')) return undefined;
  return rootOrFault(rule, change.after);
}

/**
 * The root of a copy that is gone, or names it no longer: the root may still place it there, if the rule creates copies, and
 * if it names none, `onUnlink` applies.
 */
export function lostRoot(rule: BoundRule, change: Change): ItemKey | undefined {
  const root = rootNamedIn(rule, change.before);
  if (root === undefined) return undefined;
  const named = rootNamedIn(rule, change.after);
  return named !== undefined && sameKey(named, root) ? undefined : root;
}

function rootNamedIn(rule: BoundRule, image: Item | undefined): ItemKey | undefined {
  const copy = ofKind(rule.copy, image);
  const root = copy && rootOrFault(rule, copy);
  return root instanceof InvalidItemError ? undefined : root;
}
