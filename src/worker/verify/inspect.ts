import { createHash } from 'node:crypto';
import pLimit, { type LimitFunction } from 'p-limit';
import { allSettledOrThrow } from '../../model/basics/all-settled-or-throw.ts';
import type { RecentSet } from '../../model/basics/recent-set.ts';
import { canonicalMap } from '../../model/items/attribute-value.ts';
import { byKey, type Item, type ItemKey, keyText } from '../../model/items/item.ts';
import { ofKind } from '../../model/kinds/kind.ts';
import type { BoundAggregate, BoundWriter } from '../../model/rules/bound-rule.ts';
import { entryKey, isHead } from '../../model/rules/ledger.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { isMadeAt } from '../../plan/plan-target.ts';
import type { QueriedTable } from '../propagation/copy-pages.ts';
import type { Candidate, CandidateThat } from './candidates.ts';
import { classifyCopy, classifyPlaced, hasCopy, type Orphans, rootNamed } from './classify-copy.ts';
import { classifyEntry, classifyTarget } from './classify-target.ts';
import type { CopyClassification } from './drift.ts';

export interface VerifyContext {
  readonly registry: Registry;
  readonly table: QueriedTable;
  readonly orphans: Orphans;
  /** Missing targets that members have named: each is looked at once. */
  readonly unmade?: RecentSet;
}

/** The classification of a copy, and digests of what was read. Two looks with equal digests have seen the same items. */
export interface Look {
  readonly rule: BoundWriter;
  readonly copy: ItemKey;
  /** The root that places a copy at the key `copy`, if the candidate was that key; the target of a member `copy`. */
  readonly placedBy?: ItemKey;
  readonly classification: CopyClassification;
  /** Empty unless it is drift. */
  readonly seen: { readonly copy: string; readonly root: string };
}

/**
 * Roots that are read together: 40 MB at most. A page of 1 MB may name a hundred times as much, by small copies of large roots, or by
 * roots with a hundred keys each.
 */
const keysAtOnce = 100;

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
  const limit = pLimit(targetsAtOnce);
  for (const some of portionsOf(context, candidates, limit))
    looks.push(...(await lookAtSome(context, some, limit)));
  return looks;
}

/** A look whose root, if there is one to read, is read before the look is completed. */
interface StartedLook {
  readonly root?: ItemKey;
  complete(root: Item | undefined): Look | Promise<Look>;
}

/** Started at once where nothing is read before the root. */
interface Begun {
  readonly candidate: Candidate;
  readonly started: StartedLook | undefined;
}

/** Candidates that read so many keys at most, however many they are: a page may be of the copies of one root. */
function* portionsOf(
  context: VerifyContext,
  candidates: readonly Candidate[],
  limit: LimitFunction,
): Generator<readonly Begun[]> {
  let some: Begun[] = [];
  let keys = new Set<string | undefined>();
  for (const candidate of candidates) {
    const [first] = firstRead(candidate);
    const started = first === undefined ? start(context, candidate, () => undefined, limit) : undefined;
    const key = first ?? started?.root;
    const text = key && keyText(key);
    if (keys.size === keysAtOnce && !keys.has(text)) {
      yield some;
      some = [];
      keys = new Set();
    }
    keys.add(text);
    some.push({ candidate, started });
  }
  if (some.length > 0) yield some;
}

async function lookAtSome(
  context: VerifyContext,
  begun: readonly Begun[],
  limit: LimitFunction,
): Promise<readonly Look[]> {
  const itemAt = await readByKey(
    context,
    begun.flatMap(({ candidate }) => firstRead(candidate)),
  );
  const started = begun.map((one) => one.started ?? start(context, one.candidate, itemAt, limit));
  const roots = started.flatMap(({ root }) => root ?? []);
  const rootAt = await readByKey(context, roots);
  const looks = started.map(async (look) => look.complete(look.root && rootAt(look.root)));
  const ofUnmade = begun.flatMap(({ candidate: one }) => {
    if (one.is !== 'member' || !isUnmade(context, one, rootAt(one.target))) return [];
    return limit(() => lookAtTarget(context, one.rule, one.target, rootAt(one.target)));
  });
  return allSettledOrThrow([...looks, ...ofUnmade]);
}

/** Heads of a ledger are looked at themselves. */
function isUnmade(
  { unmade }: VerifyContext,
  { rule, target }: CandidateThat<'member'>,
  item: Item | undefined,
): boolean {
  if (rule.ledger !== undefined || ofKind(rule.on, item) !== undefined || !isMadeAt(rule, target))
    return false;
  return unmade?.add(`${rule.name} ${keyText(target)}`) ?? true;
}

/** The keys that are read before roots and members. Without a ledger there is no entry. */
function firstRead(candidate: Candidate): readonly ItemKey[] {
  switch (candidate.is) {
    case 'placed':
      return [candidate.key];
    case 'made':
      return [candidate.target];
    case 'entry':
      return candidate.rule.ledger === undefined ? [] : [entryKeyOf(candidate)];
    case 'copy':
    case 'target':
    case 'member':
      return [];
  }
}

function start(
  context: VerifyContext,
  candidate: Candidate,
  itemAt: (key: ItemKey) => Item | undefined,
  limit: LimitFunction,
): StartedLook {
  switch (candidate.is) {
    case 'copy':
      return startCopy(context, candidate);
    case 'target': {
      const { rule, copy } = candidate;
      return { complete: () => limit(() => lookAtTarget(context, rule, copy.key, copy.item)) };
    }
    case 'made': {
      const { rule, target } = candidate;
      const item = itemAt(target);
      if (ofKind(rule.on, item) !== undefined)
        return {
          complete: () => seenAs({ rule, copy: target, placedBy: target }, { is: 'right' }, item, undefined),
        };
      return { complete: () => limit(() => lookAtTarget(context, rule, target, item)) };
    }
    case 'placed':
      return startPlaced(candidate, itemAt(candidate.key));
    case 'entry':
      return startEntry(candidate, itemAt(entryKeyOf(candidate)));
    case 'member':
      return startMember(candidate);
  }
}

function entryKeyOf({ rule, target, member }: CandidateThat<'entry'>): ItemKey {
  return entryKey(rule, target, member);
}

function startCopy({ registry, orphans }: VerifyContext, { rule, copy }: CandidateThat<'copy'>): StartedLook {
  const look = { rule, copy: copy.key };
  const named = rootNamed(rule, copy);
  if (!('pk' in named)) return { complete: () => seenAs(look, named, copy.item, undefined) };
  const against = (root: Item | undefined) =>
    seenAs(look, classifyCopy({ registry, rule, orphans }, copy, named, root), copy.item, root);
  return rule.located.in === 'itself'
    ? { complete: () => against(copy.item) }
    : { root: named, complete: against };
}

/** The root is read only if the key does not have its copy. */
function startPlaced(placed: CandidateThat<'placed'>, item: Item | undefined): StartedLook {
  const look = { rule: placed.rule, copy: placed.key, placedBy: placed.root };
  if (hasCopy(placed, item)) return { complete: () => seenAs(look, { is: 'right' }, item, undefined) };
  return {
    root: placed.root,
    complete: (root) => seenAs(look, classifyPlaced(placed, item, root), item, root),
  };
}

/** The member is read after its entry. */
function startEntry(candidate: CandidateThat<'entry'>, entry: Item | undefined): StartedLook {
  const { rule, target, member: key } = candidate;
  const look = { rule, copy: key, placedBy: target };
  return {
    root: key,
    complete: (item) => seenAs(look, classifyEntry(rule, target, { key, entry, item }), entry, item),
  };
}

function startMember({ rule, target, member }: CandidateThat<'member'>): StartedLook {
  const look = { rule, copy: member, placedBy: target };
  return {
    root: target,
    complete: (item) =>
      seenAs(
        look,
        { is: ofKind(rule.on, item) === undefined && !isMadeAt(rule, target) ? 'targetless' : 'targeted' },
        undefined,
        item,
      ),
  };
}

async function lookAtTarget(
  { table }: VerifyContext,
  rule: BoundAggregate,
  key: ItemKey,
  item: Item | undefined,
): Promise<Look> {
  const { heads = rule, entries = rule } = rule.ledger ?? {};
  const aggregate = isHead(rule, key) ? entries : heads;
  const { classification, computed } = await classifyTarget(table, aggregate, key, item);
  return seenAs({ rule, copy: key }, classification, item, computed);
}

async function readByKey(
  { table }: VerifyContext,
  keys: readonly ItemKey[],
): Promise<(key: ItemKey) => Item | undefined> {
  const distinct = new Map(keys.map((key) => [keyText(key), key]));
  const found = byKey(distinct.size === 0 ? [] : await table.getMany([...distinct.values()]));
  return (key) => found(key)?.item;
}

function seenAs(
  look: Omit<Look, 'classification' | 'seen'>,
  classification: CopyClassification,
  copy: Item | undefined,
  root: Item | undefined,
): Look {
  if (classification.is !== 'drift') return { ...look, classification, seen: { copy: '', root: '' } };
  const seen = { copy: digestOf(copy), root: root === copy ? 'itself' : digestOf(root) };
  return { ...look, classification, seen };
}

function digestOf(item: Item | undefined): string {
  if (item === undefined) return 'none';
  return createHash('sha256').update(canonicalMap(item)).digest('base64url').slice(0, 16);
}
