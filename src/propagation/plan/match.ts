import { type Change, inSequence } from '../../model/change.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import { ofKind } from '../../model/kind.ts';
import type { Cause } from '../../model/message.ts';
import { type Place, placeText } from '../../model/copy-location.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { differencesFromItself, differencesOfCopy, differencesOfRoot, hasAny } from './differences.ts';
import { placeOf, rootOf } from './rule-functions.ts';
import { unlessUnprojectable } from '../../model/unless-invalid.ts';

/** A root to take a turn for. Without places, the root itself is asked where its copies stand. */
export interface Ring {
  readonly rule: Rule;
  readonly root: ItemKey;
  readonly cause: Cause;
  readonly places: readonly Place[] | undefined;
}

/** A copy that came by on the stream and is to be checked against its root. */
export interface Check {
  readonly rule: Rule;
  readonly root: ItemKey;
  readonly copy: ItemKey;
  readonly image: Item;
}

/** What the changes of one item ring: any of its changes suffices, and however many there are, a rule rings once. */
export interface Bells {
  readonly rings: readonly Ring[];
  readonly checks: readonly Check[];
}

/** Which rules the changes of one item ring. Pure, and without a request: a change that concerns no rule costs nothing. */
export function bellsOf(registry: Registry, changes: readonly Change[]): Bells {
  const ordered = inSequence(changes);
  const rings: Ring[] = [];
  const checks: Check[] = [];
  for (const rule of registry.rules) {
    if (rule.located.in === 'itself') {
      const ringing = ordered.find((change) => ringsItself(registry.table, rule, change));
      if (ringing !== undefined) rings.push(ringForItself(rule, ringing.key));
      continue;
    }
    const merged = merge(ordered.flatMap((change) => ringOfRoot(registry.table, rule, change) ?? []));
    if (merged !== undefined) rings.push(merged);
    checks.push(...ordered.flatMap((change) => checkOfCopy(registry.table, rule, change) ?? []));
  }
  return { rings, checks };
}

/**
 * One ring of many. The last removal decides the cause, since the root is looked up again in any case; all places are
 * visited, in the order in which the root came to them, so that the last is where it stood last.
 */
function merge(rings: readonly Asking[]): Ring | undefined {
  const asking = rings.find(({ asks }) => asks);
  if (asking === undefined) return undefined;
  const cause = rings.findLast((ring) => ring.cause !== 'changed')?.cause ?? 'changed';
  const places = inOrder(rings.flatMap((ring) => ring.places));
  return { rule: asking.rule, root: asking.root, cause, places: places.length === 0 ? undefined : places };
}

/** A removal whose copies are kept asks for nothing by itself, but is the last word on a removal before it. */
type Asking = Ring & { readonly places: readonly Place[]; readonly asks: boolean };

function ringOfRoot(table: TableNames, rule: Rule, change: Change): Asking | undefined {
  const before = ofKind(table, rule.root, change.before);
  const after = ofKind(table, rule.root, change.after);
  const ring = { rule, root: change.key };
  if (after === undefined) {
    if (before === undefined || change.after !== undefined) return undefined;
    const [cause, policy] = change.expired
      ? (['expired', rule.onExpire] as const)
      : (['deleted', rule.onDelete] as const);
    return { ...ring, cause, places: places(table, rule, [before]), asks: policy !== 'keep' };
  }
  if (before !== undefined && !hasAny(differencesOfRoot(table, rule, before, after))) return undefined;
  const images = before === undefined ? [after] : [before, after];
  return { ...ring, cause: 'changed', places: places(table, rule, images), asks: true };
}

/** Where these images of a root locate its copies, in their order, without those that do not say. */
function places(table: TableNames, rule: Rule, images: readonly Item[]): readonly Place[] {
  return images.flatMap((image) =>
    unlessUnprojectable(
      () => placeOf(table, rule, image),
      () => [],
    ),
  );
}

/** Each place once, where it came last. */
function inOrder(found: readonly Place[]): readonly Place[] {
  const latest = new Map<string, Place>();
  for (const place of found) {
    latest.delete(placeText(place));
    latest.set(placeText(place), place);
  }
  return [...latest.values()];
}

/** An item that is its own copy rings when it is not what it should be, whoever wrote it. */
function ringsItself(table: TableNames, rule: Rule, change: Change): boolean {
  const after = ofKind(table, rule.root, change.after);
  if (after === undefined) return false;
  return unlessUnprojectable(
    () => hasAny(differencesFromItself(table, rule, after)),
    () => change.before === undefined || hasAny(differencesOfRoot(table, rule, change.before, after)),
  );
}

function ringForItself(rule: Rule, root: ItemKey): Ring {
  return { rule, root, cause: 'changed', places: [{ in: 'key', ...root }] };
}

function checkOfCopy(table: TableNames, rule: Rule, change: Change): Check | undefined {
  const before = ofKind(table, rule.copy, change.before);
  const after = ofKind(table, rule.copy, change.after);
  if (after === undefined) return undefined;
  if (before !== undefined && !hasAny(differencesOfCopy(table, rule, before, after))) return undefined;
  const root = rootOf(table, rule, after);
  return root && { rule, root, copy: change.key, image: after };
}
