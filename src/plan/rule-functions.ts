import { InvalidItemError, unlessInvalid } from '../model/basics/errors.ts';
import { aBoolean } from '../model/basics/requirement.ts';
import {
  type CopyLocation,
  distinctKeys,
  indexNamed,
  isLegalRange,
  isListed,
  listedKeys,
  type QueriedLocation,
} from '../model/items/copy-location.ts';
import { type KeyRange, keyGiven, rangeGiven } from '../model/items/given-keys.ts';
import { type Item, type ItemKey, isLegalKey, keyIn, legalKeyWords, sameKey } from '../model/items/item.ts';
import type { TableNames } from '../model/items/table-names.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import { viewOf } from '../model/kinds/view.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import { type Location, type PlacedBy, policyEffects } from '../model/rules/rule.ts';
import { type Call, called } from './call.ts';
import { aKey, aRange, aRootKey, keys as someKeys } from './returns.ts';

/**
 * @throws InvalidItemError if the root lacks what is read, if `located.at` fails on it, or if DynamoDB would refuse such a key
 */
export function locationOf(rule: BoundRule, root: Item): CopyLocation {
  const key = keyIn(rule.table, root);
  const location = locate(rule, root, key);
  if (isLegalLocation(rule.table, location)) return location;
  throw unlocatable(rule, key);
}

/** Where the root places its copies: nowhere if it does not say. */
export function locationsOf(rule: BoundRule, root: Item): CopyLocation[] {
  return unlessInvalid(
    () => [locationOf(rule, root)],
    () => [],
  );
}

function locate(rule: BoundRule, root: Item, key: ItemKey): CopyLocation {
  const { located } = rule;
  if (located.in === 'itself') return { in: 'key', ...key };
  const view = rootView(rule, root);
  const call = { rule, does: 'located.at', item: { key, concerns: 'root' } } as const;
  if (located.in === 'key') {
    return {
      in: 'key',
      ...keyGiven(
        rule.table,
        called(call, () => located.at(view), aKey(rule.table)),
      ),
    };
  }
  if (located.in === 'keys') {
    const given = called(call, () => located.at(view), someKeys(rule.table));
    const keys = distinctKeys(given.map((one) => keyGiven(rule.table, one)));
    if (keys.length > maxKeys) throw tooManyKeys(rule, key, keys.length);
    return { in: 'keys', keys };
  }
  return queriedBy(rule.table, located, view, call);
}

export function queriedBy<SomeView>(
  table: TableNames,
  located: PlacedBy<Extract<Location<SomeView>, { in: 'partition' | 'index' }>>,
  view: SomeView,
  call: Call,
): QueriedLocation {
  const keys = located.in === 'partition' ? table : located.index;
  const range = rangeGiven(
    keys,
    called<KeyRange>(call, () => located.at(view), aRange(keys)),
  );
  return located.in === 'partition'
    ? { in: 'partition', ...range }
    : { in: 'index', index: located.index.name, ...range };
}

/** @throws InvalidItemError if the root lacks what the rule reads, or if `when` fails on it */
export function appliesTo(rule: BoundRule, root: Item, view = rootView(rule, root)): boolean {
  const { when } = rule;
  if (when === undefined) return true;
  const item = { key: keyIn(rule.table, root), concerns: 'root' } as const;
  return called({ rule, does: 'when.root', item }, () => when.root(view), aBoolean);
}

/** Whether it is sure that `when` is true for the root. */
export function isIncluded(rule: BoundRule, root: Item): boolean {
  return unlessInvalid(
    () => appliesTo(rule, root),
    () => false,
  );
}

/** Whether it is sure that `when` is false for the root. */
export function isExcluded(rule: BoundRule, root: Item): boolean {
  return unlessInvalid(
    () => !appliesTo(rule, root),
    () => false,
  );
}

/** The error of a rule that locates copies at a key which no item can have. */
export function unlocatable(rule: Pick<BoundRule, 'name' | 'table'>, key: ItemKey): InvalidItemError {
  const why = `Rule ${rule.name} locates copies at a key that DynamoDB rejects: expected ${legalKeyWords(rule.table)}`;
  return new InvalidItemError('root', 'root.unlocatable', why, { rule: rule.name, key });
}

/** A batch read takes as many, and a transaction one less. */
const maxKeys = 100;

function tooManyKeys({ name }: BoundRule, key: ItemKey, found: number): InvalidItemError {
  const why = `Rule ${name} places copies at ${found} keys: expected at most ${maxKeys}, so shorten the list, or locate the copies in a partition`;
  return new InvalidItemError('root', 'root.too-many-keys', why, { rule: name, key });
}

/** Whether DynamoDB accepts the keys of this location. */
export function isLegalLocation(table: TableNames, location: CopyLocation): boolean {
  if (isListed(location)) return listedKeys(location).every((key) => isLegalKey(table, key));
  const keys = location.in === 'partition' ? table : indexNamed(table, location.index);
  return keys !== undefined && isLegalRange(keys, location);
}

/**
 * Undefined if the copy lacks what names its root.
 * @throws InvalidItemError if it has what its schema refuses, or if `rootOf` fails
 */
export function rootOf(rule: BoundRule, copy: Item): ItemKey | undefined {
  return unlessLacking(() => rootNamedBy(rule, copy));
}

/** Undefined if the item lacks what the function reads, or if that makes no key. What else is wrong is thrown. */
export function unlessLacking<Result>(run: () => Result): Result | undefined {
  return unlessInvalid(run, (error) => {
    if (error.attribute?.isMissing || error.code === 'key.unwritable') return undefined;
    throw error;
  });
}

/** Where `rootOf` fails, nothing tells whose copy it is: then how it fails. */
export function rootOrFault(rule: BoundRule, copy: Item): ItemKey | InvalidItemError | undefined {
  return unlessInvalid(
    () => rootOf(rule, copy),
    (error) => error,
  );
}

/** Whether this is a copy that names no root, under a policy which says that it must not stay as it is. */
export function isUnlinked(rule: BoundRule, image: Item | undefined): image is Item {
  if (policyEffects[rule.onUnlink].keeps || image === undefined) return false;
  return isOfKind(rule.copy, image) && rootOrFault(rule, image) === undefined;
}

/**
 * The key of the root that a copy names; undefined if it names none.
 * @throws InvalidItemError if the copy lacks what the rule reads, or if `rootOf` fails on it
 */
export function rootNamedBy(rule: BoundRule, copy: Item): ItemKey | undefined {
  const key = keyIn(rule.table, copy);
  if (rule.located.in === 'itself') return key;
  const view = copyView(rule, copy);
  const call = { rule, does: 'rootOf', item: { key, concerns: 'copy' } } as const;
  const given = called(call, () => rule.rootOf(view), aRootKey(rule.table));
  const root = given && keyGiven(rule.table, given);
  if (root === undefined || !isLegalKey(rule.table, root)) return undefined;
  // In a tree, an item that names itself is topmost.
  return rule.tree !== undefined && sameKey(root, key) ? undefined : root;
}

export function rootView(rule: BoundRule, root: Item): ReturnType<typeof viewOf> {
  return viewOf(rule.root, root, { rule: rule.name, role: 'root', reads: rule.reads.root });
}

export function copyView(rule: BoundRule, copy: Item): ReturnType<typeof viewOf> {
  return viewOf(rule.copy, copy, { rule: rule.name, role: 'copy', reads: rule.reads.copy });
}
