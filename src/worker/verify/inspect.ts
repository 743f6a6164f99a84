import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../model/basics/all-settled-or-throw.ts';
import { chunksOf } from '../../model/basics/chunks-of.ts';
import { canonicalMap } from '../../model/items/attribute-value.ts';
import { byKey, type Item, type ItemKey, type KeyedItem, keyText } from '../../model/items/item.ts';
import { isOfKind, ofKind } from '../../model/kinds/kind.ts';
import type { BoundAggregate, BoundRule } from '../../model/rules/bound-rule.ts';
import { entryKey, isHead } from '../../model/rules/ledger.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { QueriedTable } from '../propagation/copy-pages.ts';
import { classifyCopy, type Orphans, rootNamed } from './classify-copy.ts';
import { classifyTarget } from './classify-target.ts';
import type { CopyClassification } from './drift.ts';
import { type NamedTarget, targetsNamedIn } from './named-target.ts';
import { classifyEntry, type PlacedEntry, postedBy } from './placed-entry.ts';
import { classifyPlaced, hasCopy, type PlacedKey, placedKeysIn } from './placed-key.ts';

export interface VerifyContext {
  readonly registry: Registry;
  readonly table: QueriedTable;
  readonly orphans: Orphans;
}

/** Rules and aggregates whose drift is searched, or repaired, together. */
export type Selection = Pick<Registry, 'rules' | 'aggregates'>;

/** A copy to check by a rule, or a target by an aggregate. */
export interface PresentCopy {
  readonly rule: BoundRule | BoundAggregate;
  readonly copy: KeyedItem;
}

/** What a search checks: an item, a key at which a rule creates a copy, or one at which a member has its target. */
export type Candidate = PresentCopy | PlacedKey | PlacedEntry | NamedTarget;

/** What rules and aggregates say of an item: all that it is a copy or a target of, and where it places copies. */
export function candidatesIn(selection: Selection, item: KeyedItem): readonly Candidate[] {
  return [
    ...copiesIn(selection, item),
    ...placedKeysIn(selection.rules, item),
    ...selection.aggregates.flatMap((aggregate) => [
      ...postedBy(aggregate, item),
      ...targetsNamedIn(aggregate, item),
    ]),
  ];
}

export function copiesIn({ rules, aggregates }: Selection, copy: KeyedItem): readonly PresentCopy[] {
  return [
    ...rules.filter((rule) => isOfKind(rule.copy, copy.item)).map((rule) => ({ rule, copy })),
    ...aggregates.filter((rule) => isTarget(rule, copy)).map((rule) => ({ rule, copy })),
  ];
}

/** Heads of a ledger are the targets of their entries. */
function isTarget(aggregate: BoundAggregate, { key, item }: KeyedItem): boolean {
  return isOfKind(aggregate.on, item) || isHead(aggregate, key);
}

/** The classification of a copy, and digests of what was read. Two looks with equal digests have seen the same items. */
export interface Look {
  readonly rule: BoundRule | BoundAggregate;
  readonly copy: ItemKey;
  /** The root that places a copy at the key `copy`, if the candidate was that key; the target of a member `copy`. */
  readonly placedBy?: ItemKey;
  readonly classification: CopyClassification;
  /** Empty unless it is drift. */
  readonly seen: { readonly copy: string; readonly root: string };
}

/**
 * Candidates whose roots are read together: 40 MB at most. A page of 1 MB may name a hundred times as much, by small copies of
 * large roots, or by roots with a hundred keys each.
 */
const lookedAtOnce = 100;

/** Targets whose members are read side by side. */
const targetsAtOnce = 8;

/**
 * Classifies copies against their roots, and targets against their members. Roots and members are read strongly consistent
 * and after copies and targets, as a propagation and a computation do.
 * @returns the looks in the order of the candidates
 */
export async function lookAt(
  context: VerifyContext,
  candidates: readonly Candidate[],
): Promise<readonly Look[]> {
  const looks: Look[] = [];
  for (const some of chunksOf(candidates, lookedAtOnce)) looks.push(...(await lookAtSome(context, some)));
  return looks;
}

interface Begun {
  readonly root?: ItemKey;
  readonly end: (root: Item | undefined) => Look | Promise<Look>;
}

async function lookAtSome(
  context: VerifyContext,
  candidates: readonly Candidate[],
): Promise<readonly Look[]> {
  const keys = candidates.flatMap((one) => {
    if ('key' in one) return [one.key];
    // Without a ledger there is no entry.
    return 'member' in one && one.rule.ledger !== undefined ? [entryKeyOf(one)] : [];
  });
  const itemAt = await readByKey(context, keys);
  const limit = pLimit(targetsAtOnce);
  const begun = candidates.map((one): Begun => {
    if ('key' in one) return beginPlaced(one, itemAt(one.key));
    if ('member' in one) return beginEntry(one, itemAt(entryKeyOf(one)));
    if ('namedBy' in one) return beginNamed(one);
    const { rule, copy } = one;
    if (rule.is === 'aggregate') return { end: () => limit(() => lookAtTarget(context, rule, copy)) };
    return beginCopy(context, rule, copy);
  });
  const rootAt = await readByKey(
    context,
    begun.flatMap(({ root }) => root ?? []),
  );
  return allSettledOrThrow(begun.map(async ({ root, end }) => end(root && rootAt(root))));
}

/** The root is read only if the key does not have its copy. */
function beginPlaced(placed: PlacedKey, item: Item | undefined): Begun {
  const { rule, key: copy, root: placedBy } = placed;
  const look = { rule, copy, placedBy };
  if (hasCopy(placed, item))
    return { end: () => ({ ...look, classification: { is: 'right' }, seen: unseen }) };
  return {
    root: placedBy,
    end: (root) => seenAs(look, classifyPlaced(placed, item, root), item, root),
  };
}

function entryKeyOf({ rule, target, member }: PlacedEntry): ItemKey {
  return entryKey(rule, target, member);
}

/** The member is read after its entry. */
function beginEntry(placed: PlacedEntry, entry: Item | undefined): Begun {
  const { rule, target, member: key } = placed;
  const look = { rule, copy: key, placedBy: target };
  return {
    root: key,
    end: (item) => seenAs(look, classifyEntry(placed, { key, entry, item }), entry, item),
  };
}

function beginNamed({ rule, target, namedBy }: NamedTarget): Begun {
  const look = { rule, copy: namedBy, placedBy: target, seen: unseen };
  return {
    root: target,
    end: (item) => ({
      ...look,
      classification: { is: ofKind(rule.on, item) === undefined ? 'targetless' : 'targeted' },
    }),
  };
}

function beginCopy({ registry, orphans }: VerifyContext, rule: BoundRule, copy: KeyedItem): Begun {
  const look = { rule, copy: copy.key };
  const named = rootNamed(rule, copy);
  if (!('pk' in named)) return { end: () => seenAs(look, named, copy.item, undefined) };
  const against = (root: Item | undefined) =>
    seenAs(look, classifyCopy({ registry, rule, orphans }, copy, named, root), copy.item, root);
  return rule.located.in === 'itself' ? { end: () => against(copy.item) } : { root: named, end: against };
}

async function lookAtTarget(
  { table }: VerifyContext,
  rule: BoundAggregate,
  target: KeyedItem,
): Promise<Look> {
  const { heads = rule, entries = rule } = rule.ledger ?? {};
  const of = isHead(rule, target.key) ? entries : heads;
  const { classification, computed } = await classifyTarget(table, of, target);
  return seenAs({ rule, copy: target.key }, classification, target.item, computed);
}

async function readByKey(
  { table }: VerifyContext,
  keys: readonly ItemKey[],
): Promise<(key: ItemKey) => Item | undefined> {
  const distinct = new Map(keys.map((key) => [keyText(key), key]));
  const found = byKey(distinct.size === 0 ? [] : await table.getMany([...distinct.values()]));
  return (key) => found(key)?.item;
}

const unseen = { copy: '', root: '' };

function seenAs(
  look: Omit<Look, 'classification' | 'seen'>,
  classification: CopyClassification,
  copy: Item | undefined,
  root: Item | undefined,
): Look {
  if (classification.is !== 'drift') return { ...look, classification, seen: unseen };
  const seen = { copy: digestOf(copy), root: root === copy ? 'itself' : digestOf(root) };
  return { ...look, classification, seen };
}

function digestOf(item: Item | undefined): string {
  if (item === undefined) return 'none';
  return createHash('sha256').update(canonicalMap(item)).digest('base64url').slice(0, 16);
}
