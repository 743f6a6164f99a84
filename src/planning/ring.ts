import { equal } from '../domain/attribute-value.ts';
import type { Change } from '../domain/change.ts';
import { Unprojectable } from '../domain/errors.ts';
import { type Item, type ItemKey, keyOf } from '../domain/item.ts';
import { isOfKind } from '../domain/kind.ts';
import type { Cause } from '../domain/message.ts';
import { isCopiable, watches } from '../domain/owned.ts';
import { type Place, placeText } from '../domain/place.ts';
import type { Registry } from '../domain/registry.ts';
import type { Rule } from '../domain/rule.ts';
import type { TableNames } from '../domain/table-names.ts';
import { project } from './projection.ts';
import { placeOf, rootOf } from './rule-functions.ts';

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
  const ordered = [...changes].sort((a, b) =>
    a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0,
  );
  const rings: Ring[] = [];
  const checks: Check[] = [];
  for (const rule of registry.rules) {
    if (rule.located.in === 'itself') {
      if (ordered.some((change) => ringsItself(registry.table, rule, change)))
        rings.push(ringForItself(rule, ordered));
      continue;
    }
    const merged = merge(ordered.flatMap((change) => ringOfRoot(registry.table, rule, change) ?? []));
    if (merged !== undefined) rings.push(merged);
    checks.push(...ordered.flatMap((change) => checkOfCopy(registry.table, rule, change) ?? []));
  }
  return { rings, checks };
}

/** The last removal decides the cause, since the root is looked up again in any case; all places are visited, old ones first. */
function merge(rings: readonly Ring[]): Ring | undefined {
  const [first] = rings;
  if (first === undefined) return undefined;
  const cause = rings.findLast((ring) => ring.cause !== 'changed')?.cause ?? 'changed';
  const places = new Map(
    rings.flatMap((ring) => ring.places ?? []).map((place) => [placeText(place), place]),
  );
  return { ...first, cause, places: places.size === 0 ? undefined : [...places.values()] };
}

function ringOfRoot(table: TableNames, rule: Rule, change: Change): Ring | undefined {
  const before = ofKind(table, rule, change.before);
  const after = ofKind(table, rule, change.after);
  const ring = { rule, root: change.key };
  if (after === undefined) {
    if (before === undefined || change.after !== undefined) return undefined;
    const cause = change.expired ? 'expired' : 'deleted';
    const policy = change.expired ? rule.onExpire : rule.onDelete;
    return policy === 'keep' ? undefined : { ...ring, cause, places: places(table, rule, [before]) };
  }
  if (before !== undefined && !differs(table, rule, before, after)) return undefined;
  return {
    ...ring,
    cause: 'changed',
    places: places(table, rule, before === undefined ? [after] : [before, after]),
  };
}

/**
 * Whether anything that the rule copies or reads of the root differs, so that the projection or the place of the
 * copies may. An image that cannot be projected differs from every one that can.
 */
function differs(table: TableNames, rule: Rule, before: Item, after: Item): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].some((name) => {
    const concerns =
      rule.reads.root.includes(name) ||
      (rule.copies === 'all' ? isCopiable(table, rule, name) : rule.copies.includes(name));
    return concerns && !equal(before[name], after[name]);
  });
}

/** Where these images of a root locate its copies, without those that do not say. */
function places(table: TableNames, rule: Rule, images: readonly Item[]): readonly Place[] | undefined {
  const found = new Map<string, Place>();
  for (const image of images) {
    try {
      const place = placeOf(table, rule, image);
      found.set(placeText(place), place);
    } catch (error) {
      if (!(error instanceof Unprojectable)) throw error;
    }
  }
  return found.size === 0 ? undefined : [...found.values()];
}

/** An item that is its own copy rings when it is not what it should be, whoever wrote it. */
function ringsItself(table: TableNames, rule: Rule, change: Change): boolean {
  const after = ofKind(table, rule, change.after);
  if (after === undefined) return false;
  try {
    return [...project(table, rule, after, after)].some(([name, value]) => !equal(after[name], value));
  } catch (error) {
    if (!(error instanceof Unprojectable)) throw error;
    return change.before === undefined || differs(table, rule, change.before, after);
  }
}

function ringForItself(rule: Rule, changes: readonly Change[]): Ring {
  const root = changes[0]?.key ?? { pk: '', sk: '' };
  return { rule, root, cause: 'changed', places: [{ in: 'key', ...root }] };
}

function checkOfCopy(table: TableNames, rule: Rule, change: Change): Check | undefined {
  const { before, after } = change;
  if (after === undefined || !isOfKind(table, rule.copy, after)) return undefined;
  if (before !== undefined) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    if (![...names].some((name) => watches(table, rule, name) && !equal(before[name], after[name])))
      return undefined;
  }
  const root = rootOf(table, rule, after);
  const copy = keyOf(table, after);
  return root === undefined || copy === undefined ? undefined : { rule, root, copy, image: after };
}

function ofKind(table: TableNames, rule: Rule, image: Item | undefined): Item | undefined {
  return image !== undefined && isOfKind(table, rule.root, image) ? image : undefined;
}
