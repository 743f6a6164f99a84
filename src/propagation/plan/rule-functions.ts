import type { Derived } from '../../model/attribute-value.ts';
import type { CopyLocation } from '../../model/copy-location.ts';
import { InvalidItemError } from '../../model/errors.ts';
import {
  type Item,
  type ItemKey,
  isLegalKey,
  isLegalKeyPart,
  keyIn,
  maxPkBytes,
  maxSkBytes,
} from '../../model/item.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import { viewOf } from '../../model/view.ts';
import { called, notDerived, notKey, notRange, notRootKey } from './rule-returns.ts';

/**
 * Where this root places its copies.
 * @throws InvalidItemError if the root lacks what the rule reads, if `located.at` fails on it, or if DynamoDB would refuse
 * such a key
 */
export function locationOf(table: TableNames, rule: Rule, root: Item): CopyLocation {
  const key = keyIn(table, root);
  const location = locate(table, rule, root, key);
  if (isLegalLocation(location)) return location;
  throw unlocatable(rule, key);
}

function locate(table: TableNames, rule: Rule, root: Item, key: ItemKey): CopyLocation {
  const { located } = rule;
  if (located.in === 'itself') return { in: 'key', ...key };
  const view = rootView(table, rule, root);
  const call = { rule, does: 'located.at', item: { key, concerns: 'root' } } as const;
  if (located.in === 'key') {
    const { pk, sk } = called(call, () => located.at(view), notKey);
    return { in: 'key', pk, sk };
  }
  const { pk, begins } = called(call, () => located.at(view), notRange);
  const range = { pk, ...(begins !== undefined && { begins }) };
  return located.in === 'partition'
    ? { in: 'partition', ...range }
    : { in: 'index', index: located.index.name, ...range };
}

/** The error of a root whose copies would be at a key that no item can have. */
export function unlocatable(rule: Pick<Rule, 'name'>, key: ItemKey): InvalidItemError {
  const why = `Rule ${rule.name} locates copies at a key that DynamoDB rejects: expected a partition key of 1 to ${maxPkBytes} bytes and a sort key of 1 to ${maxSkBytes}`;
  return new InvalidItemError('root', 'root.unlocatable', why, { rule: rule.name, key });
}

/** Whether DynamoDB accepts the keys of this location. */
export function isLegalLocation(location: CopyLocation): boolean {
  if (location.in === 'key') return isLegalKey(location);
  return isLegalKeyPart(location.pk, maxPkBytes) && Buffer.byteLength(location.begins ?? '') <= maxSkBytes;
}

/**
 * The key of the root that a copy names; undefined if it names none, or lacks what it is named by.
 * @throws InvalidItemError if the copy is not at fault but `rootOf`: it throws, or returns something else
 */
export function rootOf(table: TableNames, rule: Rule, copy: Item): ItemKey | undefined {
  return unlessInvalid(
    () => rootNamedBy(table, rule, copy),
    (error) => {
      if (error.code.startsWith('rule.')) throw error;
      return undefined;
    },
  );
}

/**
 * The key of the root that a copy names; undefined if it names none.
 * @throws InvalidItemError if the copy lacks what the rule reads, or if `rootOf` fails on it
 */
export function rootNamedBy(table: TableNames, rule: Rule, copy: Item): ItemKey | undefined {
  const key = keyIn(table, copy);
  if (rule.located.in === 'itself') return key;
  const view = viewOf(table, rule.copy, copy, { rule: rule.name, role: 'copy', reads: rule.reads.copy });
  const call = { rule, does: 'rootOf', item: { key, concerns: 'copy' } } as const;
  const root = called(call, () => rule.rootOf(view), notRootKey);
  return root !== undefined && isLegalKey(root) ? { pk: root.pk, sk: root.sk } : undefined;
}

/** A root as the functions of its rule see it. */
export function rootView(table: TableNames, rule: Rule, root: Item): ReturnType<typeof viewOf> {
  return viewOf(table, rule.root, root, { rule: rule.name, role: 'root', reads: rule.reads.root });
}

/**
 * The attributes that the rule derives for this copy.
 * @param seen the view of the root, which all copies of a page may share
 * @throws InvalidItemError if root or copy lacks what a derivation reads, or if a derivation fails on them
 */
export function deriveAll(
  table: TableNames,
  rule: Rule,
  root: Item,
  copy: Item,
  seen = rootView(table, rule, root),
): Map<string, Derived | undefined> {
  const from = {
    root: seen,
    /** Made only for a derivation that asks for it. */
    get copy() {
      return viewOf(table, rule.copy, copy, { rule: rule.name, role: 'copy', reads: rule.reads.copy });
    },
  };
  const concerns = faultOf(rule);
  const item = { key: keyIn(table, concerns === 'root' ? root : copy), concerns };
  return new Map(
    Object.entries(rule.derive).map(([name, derive]) => [
      name,
      called({ rule, does: `derive.${name}`, item }, () => derive(from), notDerived),
    ]),
  );
}

/** The item that a failed derivation makes invalid: the root only if the rule reads nothing of the copy. */
export function faultOf(rule: Rule): 'root' | 'copy' {
  return rule.located.in === 'itself' || rule.reads.copy.length === 0 ? 'root' : 'copy';
}
