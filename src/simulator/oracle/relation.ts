import { Big } from 'big.js';
import { DenormError, InvalidItemError } from '../../model/basics/errors.ts';
import type { AttributeValue } from '../../model/items/attribute-value.ts';
import { type KeyRange, type KeyValue, keyGiven } from '../../model/items/given-keys.ts';
import { attribute, type Item, type ItemKey, isLegalKey, keyIn, keyText } from '../../model/items/item.ts';
import { itemSize, maxItem } from '../../model/items/item-size.ts';
import { byBytes } from '../../model/items/key-order.ts';
import {
  indexParts,
  isKeyName,
  type KeyNames,
  keyParts,
  type TableNames,
} from '../../model/items/table-names.ts';
import { type BoundKind, isOfKind } from '../../model/kinds/kind.ts';
import { parsedBy, viewOf } from '../../model/kinds/view.ts';
import type { BoundRule } from '../../model/rules/bound-rule.ts';
import type { RemovalPolicy } from '../../model/rules/rule.ts';
import { sourceName } from '../../model/rules/rule-attributes.ts';
import { attributeValue, type Plain } from '../../testing/plain-values.ts';
import { withKeyOnly } from '../../testing/table-model/model-indexes.ts';
import type { Committed } from '../../testing/table-model/model-table.ts';

/** What becomes of a copy that has no root to follow: it goes, or loses what the rule wrote. */
export type End = 'gone' | 'cleared';

/** What each attribute of an item that is kept by the worker is to be; undefined means that it is to be missing. */
export type Wanted = ReadonlyMap<string, AttributeValue | undefined>;

export type Relation = ReturnType<typeof relationOf>;

export function namesRoot(relation: Relation, item: Item, root: ItemKey): boolean {
  const named = relation.isCopy(item) ? relation.rootOf(item) : undefined;
  return named !== undefined && keyText(named) === keyText(root);
}

/** Whether an item has more attributes than one write changes. Source: AWS, "Quotas", expression parameters. */
export function isWide(item: Item): boolean {
  return Object.keys(item).length > 100;
}

/** Not by what the worker knows of policies. */
function endBy(policy: RemovalPolicy): End | undefined {
  switch (policy) {
    case 'delete':
      return 'gone';
    case 'clear':
      return 'cleared';
    case 'keep':
      return undefined;
  }
}

/** Whether an item is left, without what the rule wrote. */
export const leavesItem: Readonly<Record<End, boolean>> = { gone: false, cleared: true };

/** What a rule says, read apart from the code that plans writes, so that a fault of that code shows as a difference. */
export function relationOf(rule: BoundRule) {
  const { table, located, creates, derive } = rule;
  const itself = located.in === 'itself';
  const writes = writtenBy(rule);
  const locating = located.in === 'index' ? keyParts(located.index).names : [];
  const isRoot = (item: Item) => isOfKind(rule.root, item);
  const isExcluded = (root: Item) => !itself && isRoot(root) && ruleApplies(rule, root) === false;

  function crosses(root: ItemKey, copy: Item): boolean {
    const { tenant } = rule;
    if (tenant === undefined) return false;
    return rule.root.idsOf(root)?.[tenant] !== rule.copy.idsOf(keyIn(table, copy))?.[tenant];
  }

  function rootOf(copy: Item): ItemKey | undefined {
    if (itself) return keyIn(table, copy);
    const given = rule.rootOf(copyView(rule, copy));
    const root = given && keyGiven(table, given);
    if (root === undefined || !isLegalKey(table, root)) return undefined;
    // Of a tree, such an item is topmost.
    return rule.tree !== undefined && keyText(root) === keyText(keyIn(table, copy)) ? undefined : root;
  }

  /** Undefined if the copy has what its schema refuses. */
  function isNamed(copy: Item): boolean | undefined {
    try {
      return rootOf(copy) !== undefined;
    } catch (error) {
      return namesNone(error) ? false : undefined;
    }
  }

  /** Whether it looks for copies where this one is; undefined if the root does not say. */
  function isLocated(root: Item, copy: Item): boolean | undefined {
    return attempt(() => {
      if (located.in === 'itself') return true;
      const view = rootView(rule, root);
      const key = keyText(keyIn(table, copy));
      if (located.in === 'key') return keyText(keyGiven(table, located.at(view))) === key;
      if (located.in === 'keys') {
        const keys = new Set(located.at(view).map((one) => keyText(keyGiven(table, one))));
        // More than a root may have: it is dead-lettered, and nothing tells where its copies are.
        return keys.size > 100 ? undefined : keys.has(key);
      }
      return isGiven(located.in === 'partition' ? table : located.index, copy, located.at(view));
    });
  }

  function placed(root: Item): readonly ItemKey[] {
    if (located.in !== 'key' && located.in !== 'keys') return [];
    if (!isRoot(root) || ruleApplies(rule, root) !== true) return [];
    const view = rootView(rule, root);
    const given = located.in === 'key' ? [located.at(view)] : located.at(view);
    const keys = given.map((one) => keyGiven(table, one));
    const distinct = [...new Map(keys.map((key) => [keyText(key), key])).values()];
    return distinct.length > 100 || !distinct.every((key) => isLegalKey(table, key)) ? [] : distinct;
  }

  function projection(root: Item, copy: Item): Wanted | undefined {
    const applies = ruleApplies(rule, root);
    if (applies === undefined) return undefined;
    if (!applies && itself) {
      const end = endBy(rule.onDelete);
      const isCleared = end !== undefined && leavesItem[end];
      return new Map(Object.keys(derive).map((name) => [name, isCleared ? undefined : copy[name]]));
    }
    if (isOfKeys(rule)) return declaredKeys(table, rule.copy, copy);
    const wanted = new Map<string, AttributeValue | undefined>();
    const copied = rule.copies === 'all' ? Object.keys(root).filter(writes) : rule.copies;
    for (const name of copied) {
      const source = sourceName(rule, name);
      const schema = rule.copies === 'all' ? undefined : rule.root.attributes.shape[source];
      if (schema !== undefined && !parsedBy(schema, root[source]).success) return undefined;
      wanted.set(name, root[source]);
    }
    if (rule.unknown === 'remove')
      for (const name of Object.keys(copy)) if (writes(name) && !(name in root)) wanted.set(name, undefined);
    const from = {
      root: rootView(rule, root),
      // A derivation sees nothing but the key of a copy that the rule creates.
      copy: copyView(rule, creates ? withKeyOnly(table, copy) : copy),
    };
    for (const [name, one] of Object.entries(derive)) {
      const value = one(from);
      wanted.set(name, value === undefined ? undefined : attributeValue(value as Plain));
    }
    return isAboveItself(rule, copy, wanted) ? undefined : wanted;
  }

  return {
    rule: rule.name,
    /** Undefined if copies stay. */
    onDelete: itself ? undefined : endBy(rule.onDelete),
    onExpire: itself ? undefined : endBy(rule.onExpire),
    onUnlink: endBy(rule.onUnlink),
    creates,
    isIndexed: located.in === 'index',
    isRoot,
    /** What a change makes of the root: one that becomes an item of another kind is gone. */
    rootIn: ({ before, after }: Pick<Committed, 'before' | 'after'>) => ({
      before: before !== undefined && isRoot(before) ? before : undefined,
      after: after !== undefined && isRoot(after) ? after : undefined,
    }),
    isCopy: (item: Item) => isOfKind(rule.copy, item),
    /** Whether the copy belongs to another tenant than this root: nothing may be written across. */
    crosses,
    rootOf: (copy: Item): ItemKey | undefined => attempt(() => rootOf(copy)),
    /** Whether a copy says that it follows no root, or lacks what names it. */
    isNameless: (copy: Item): boolean => isOfKind(rule.copy, copy) && isNamed(copy) === false,
    /** Whether nothing tells whose copy it is. */
    isNamedWrongly: (copy: Item): boolean => isOfKind(rule.copy, copy) && isNamed(copy) === undefined,
    /** Whether the root places a copy where this one is; undefined if the root does not say. False if it is excluded. */
    locations(root: Item, copy: Item): boolean | undefined {
      if (!isRoot(root)) return false;
      if (itself) return keyText(keyIn(table, root)) === keyText(keyIn(table, copy));
      const applies = ruleApplies(rule, root);
      return applies === true ? isLocated(root, copy) : applies;
    },
    /** Whether the location of this root is where this copy is, even if it is excluded; undefined if the root does not say. */
    isLocated,
    /** Whether it says of no item where copies are. A removal looks for copies of a root that the rule does not apply to, too. */
    isUnlocatable: (root: Item) => !itself && isRoot(root) && isLocated(root, root) === undefined,
    /** Whether the rule does not apply to this root, so that none of its copies is to stay, wherever it is. */
    isExcluded,
    /** The same of a root that would otherwise place a copy where this one is. */
    excludes: (root: Item, copy: Item) => isExcluded(root) && isLocated(root, copy) === true,
    /** The keys at which the worker is to create this root's copies; none if the root does not say. */
    placed: (root: Item): readonly ItemKey[] => (creates && attempt(() => placed(root))) || [],
    /** What the copy should be; undefined if the root, or this copy, does not hold what is needed for it. */
    wanted: (root: Item, copy: Item): Wanted | undefined =>
      crosses(keyIn(table, root), copy) ? undefined : attempt(() => thatFits(copy, projection(root, copy))),
    /** Whether the item has not all keys that its kind declares, because they cannot be made. */
    isUnmade: (item: Item) => isOfKeys(rule) && isOfKind(rule.copy, item) && isUnmade(table, rule.copy, item),
    writes,
    /** Whether a write of this attribute by an application makes another copy of it: it is copied, or it places or names. */
    concerns: (name: string) => writes(name) || rule.reads.copy.includes(name) || locating.includes(name),
  };
}

/** Whether an item of a tree is among those above it, as the one above says: nothing can be right then. */
function isAboveItself({ table, tree, copy }: BoundRule, item: Item, wanted: Wanted): boolean {
  const list = tree && wanted.get(tree.attribute);
  const own = tree && copy.idsOf(keyIn(table, item))?.[tree.id];
  if (list === undefined || own === undefined || !('L' in list)) return false;
  return list.L.some((one) => 'S' in one && one.S === own);
}

export function applied({ wanted }: Pick<Relation, 'wanted'>, root: Item, copy: Item): Item {
  return withWanted(copy, wanted(root, copy) ?? new Map());
}

export function withWanted(copy: Item, wanted: Wanted): Item {
  const left = { ...copy };
  for (const [name, value] of wanted)
    if (value === undefined) delete left[name];
    else left[name] = value;
  return left;
}

function writtenBy(rule: BoundRule): (name: string) => boolean {
  const { table, copies, derive, own } = rule;
  if (copies !== 'all') return (name) => copies.includes(name) || Object.hasOwn(derive, name);
  const never = new Set([...keyParts(table).names, table.ttl, ...indexParts(table).keys(), ...own]);
  if (rule.root.type !== undefined || rule.copy.type !== undefined) never.add(table.type);
  return (name) => Object.hasOwn(derive, name) || !(never.has(name) || name.startsWith('aws:rep:'));
}

/** What `when` says of the root; undefined if the root does not hold what it needs. */
export function ruleApplies(rule: BoundRule, root: Item): boolean | undefined {
  const { when } = rule;
  return when === undefined ? true : attempt(() => when.root(rootView(rule, root)));
}

/** Whether the rule writes the index keys that a kind declares. */
function isOfKeys({ derive, copy }: BoundRule): boolean {
  const all = Object.values(derive);
  return Object.keys(copy.keys).length > 0 && all.length > 0 && all.every((one) => 'pattern' in one);
}

function thatFits(copy: Item, wanted: Wanted | undefined): Wanted | undefined {
  const isLong = (value: AttributeValue | undefined) =>
    value !== undefined && 'S' in value && value.S.length > 50_000;
  if (wanted === undefined || ![...wanted.values()].some(isLong)) return wanted;
  return itemSize(withWanted(copy, wanted)) > maxItem ? undefined : wanted;
}

/** Whether an item is in a range as a function gives it. */
export function isGiven(keys: KeyNames, item: Item, { pk, sk = [], begins, from, to }: KeyRange): boolean {
  const { all } = keyParts(keys);
  const compared = all.map(({ name, type }) => {
    const value = item[name];
    if (value === undefined || !(type in value)) return undefined;
    const own = 'N' in value ? new Big(value.N) : 'S' in value ? value.S : '';
    return (given: KeyValue) =>
      typeof own === 'string' ? byBytes(own, String(given)) : own.cmp(String(given));
  });
  if (compared.includes(undefined)) return false;
  const wanted = [pk, keyParts(keys).sk.length > 1 ? sk : []].flat(2);
  if (!wanted.every((given, index) => compared[index]?.(given) === 0)) return false;
  const next = compared[wanted.length];
  const text = item[all[wanted.length]?.name ?? ''];
  if (begins !== undefined && !(text && 'S' in text && text.S.startsWith(begins))) return false;
  return (from === undefined || (next?.(from) ?? -1) >= 0) && (to === undefined || (next?.(to) ?? 1) <= 0);
}

function rootView(rule: BoundRule, root: Item) {
  return viewOf(rule.root, root, { rule: rule.name, role: 'root', reads: rule.reads.root });
}

function copyView(rule: BoundRule, copy: Item) {
  return viewOf(rule.copy, copy, { rule: rule.name, role: 'copy', reads: rule.reads.copy });
}

/** Whether a function fails because the item lacks what names another, and not because it has what its schema refuses. */
export function namesNone(error: unknown): boolean {
  const isMissing = error instanceof InvalidItemError && error.attribute?.isMissing === true;
  return isMissing || (error instanceof DenormError && error.code === 'key.unwritable');
}

/** Undefined if the item does not hold what a function needs. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** The index keys that a kind declares, read apart from the code that writes them: none of an index if one does not fit. */
function declaredKeys(
  table: TableNames,
  kind: BoundKind,
  item: Item,
): ReadonlyMap<string, AttributeValue | undefined> {
  return new Map(keysOf(table, kind, item).flatMap(({ keys }) => keys));
}

/** Whether a key is not there because a value does not fit, which only a person can mend. */
function isUnmade(table: TableNames, kind: BoundKind, item: Item): boolean {
  return keysOf(table, kind, item).some(({ unmade }) => unmade);
}

function keysOf(table: TableNames, kind: BoundKind, item: Item) {
  const ids = kind.idsOf(keyIn(table, item)) ?? {};
  return Object.entries(kind.keys).flatMap(([name, { pk, sk }]) => {
    const index = Object.values(table.indexes).find((one) => one.name === name);
    if (index === undefined) return [];
    const patterns = [...pk, ...sk];
    // An attribute that is itself a key is the item's own.
    const parts = keyParts(index).all.flatMap((part, at) => {
      const pattern = patterns[at]?.pattern ?? '';
      return isKeyName(table, part.name) || pattern === `{${part.name}}` ? [] : [{ ...part, pattern }];
    });
    const none = parts.map(({ name: key }): [string, AttributeValue | undefined] => [key, undefined]);
    const names = patterns.flatMap((one) => one.names);
    if (names.some((one) => ids[one] === undefined && isNone(attribute(item, one))))
      return [{ keys: none, unmade: false }];
    try {
      // Those of the item's own count too: all fit, or none is written.
      for (const { pattern } of patterns) filled(pattern, kind, ids, item);
      const keys = parts.map(({ name: key, type, longest, pattern }): [string, AttributeValue] => {
        const text = filled(pattern, kind, ids, item);
        if (Buffer.byteLength(text) > longest) throw new RangeError('is too long');
        return [key, type === 'S' ? { S: text } : { N: numeric(text) }];
      });
      return [{ keys, unmade: false }];
    } catch {
      return [{ keys: none, unmade: true }];
    }
  });
}

function numeric(text: string): string {
  if (text.trim() === '' || !Number.isFinite(Number(text))) throw new RangeError('is no number');
  return text;
}

function filled(
  pattern: string,
  { attributes }: BoundKind,
  ids: Readonly<Record<string, string>>,
  item: Item,
): string {
  return pattern.replace(/\{(\w+)(?::(\d+))?\}(?=(.?))/g, (_, name: string, width: string, after: string) => {
    const schema = attributes.shape[name];
    const isRefused = ids[name] === undefined && schema && !parsedBy(schema, attribute(item, name)).success;
    const value = ids[name] ?? plain(attribute(item, name));
    const part = width === undefined ? value : value.padStart(Number(width), '0');
    const fits = width === undefined ? part !== '' : /^\d+$/.test(part) && part.length === Number(width);
    if (isRefused || !fits || (after !== '' && part.includes(after))) throw new RangeError('does not fit');
    return part;
  });
}

function isNone(value: AttributeValue | undefined): boolean {
  return value === undefined || 'NULL' in value || ('S' in value && value.S === '');
}

function plain(value: AttributeValue | undefined): string {
  if (value !== undefined && 'S' in value) return value.S;
  if (value !== undefined && 'N' in value) return String(Number(value.N));
  throw new TypeError('neither text nor a number');
}
