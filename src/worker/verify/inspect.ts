import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import type { Aggregate } from '../../model/aggregate.ts';
import { allSettledOrThrow } from '../../model/all-settled-or-throw.ts';
import { canonicalMap } from '../../model/attribute-value.ts';
import { chunksOf } from '../../model/chunks-of.ts';
import { byKeyText, type Item, type ItemKey, keyIn, keyText } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { QueriedTable } from '../propagation/copy-pages.ts';
import { classifyCopy, type Orphans, rootNamed } from './classify-copy.ts';
import { classifyTarget } from './classify-target.ts';
import type { CopyClassification } from './drift.ts';
import { classifyPlaced, hasCopy, type PlacedKey, placedKeysIn } from './placed-key.ts';

/** Everything that is needed to classify copies. */
export interface VerifyContext {
  readonly registry: Registry;
  readonly table: QueriedTable;
  readonly orphans: Orphans;
}

/** A copy to check by a rule, a target by an aggregate, or a key at which a rule creates a copy. */
export type Candidate = RuleCandidate | TargetCandidate | PlacedKey;

interface TargetCandidate {
  readonly rule: Aggregate;
  readonly copy: Item;
}

interface RuleCandidate {
  readonly rule: Rule;
  readonly copy: Item;
}

/** What the rules and aggregates say of an item: all that it is a copy or a target of, and where it places copies. */
export function candidatesIn(
  table: TableNames,
  { rules, aggregates }: Pick<Registry, 'rules' | 'aggregates'>,
  item: Item,
): readonly Candidate[] {
  return [...copiesIn(table, { rules, aggregates }, item), ...placedKeysIn(table, rules, item)];
}

/** All that an item is a copy or a target of. */
export function copiesIn(
  table: TableNames,
  { rules, aggregates }: Pick<Registry, 'rules' | 'aggregates'>,
  item: Item,
): readonly (RuleCandidate | TargetCandidate)[] {
  return [
    ...rules.filter(({ copy }) => isOfKind(table, copy, item)).map((rule) => ({ rule, copy: item })),
    ...aggregates.filter(({ on }) => isOfKind(table, on, item)).map((rule) => ({ rule, copy: item })),
  ];
}

/**
 * The classification of a copy, and digests of what was read. Two looks with equal digests have seen the same items.
 */
export interface Look {
  readonly rule: Rule | Aggregate;
  readonly copy: ItemKey;
  /** The root that places a copy at the key `copy`, if the candidate was that key. */
  readonly placedBy?: ItemKey;
  readonly classification: CopyClassification;
  readonly seen: { readonly copy: string; readonly root: string };
}

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
  const known = new Map<Candidate, Look>([
    ...(await inSteps(candidates.filter(isOfRule), (some) => lookAtCopies(context, some))),
    ...(await inSteps(candidates.filter(isPlaced), (some) => lookAtPlaced(context, some))),
  ]);
  const limit = pLimit(targetsAtOnce);
  const all = await allSettledOrThrow(
    candidates.map((one) =>
      limit(async () => (isOfAggregate(one) ? lookAtTarget(context, one.rule, one.copy) : known.get(one))),
    ),
  );
  return all.filter((look) => look !== undefined);
}

function isOfRule(one: Candidate): one is RuleCandidate {
  return !isOfAggregate(one) && !isPlaced(one);
}

function isOfAggregate(one: Candidate): one is TargetCandidate {
  return 'computes' in one.rule;
}

function isPlaced(one: Candidate): one is PlacedKey {
  return 'key' in one;
}

async function lookAtTarget(context: VerifyContext, rule: Aggregate, target: Item): Promise<Look> {
  const { classification, computed } = await classifyTarget(
    context.registry.table,
    context.table,
    rule,
    target,
  );
  const seen = classification.is === 'drift' ? { copy: digest(target), root: digest(computed) } : unseen;
  return { rule, copy: keyIn(context.registry.table, target), classification, seen };
}

/**
 * Candidates whose roots are read together: 40 MB at most. A page of 1 MB may name a hundred times as much, by small copies of
 * large roots, or by roots with a hundred keys each.
 */
const lookedAtOnce = 100;

async function inSteps<One, Seen>(
  all: readonly One[],
  look: (some: readonly One[]) => Promise<readonly Seen[]>,
): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const some of chunksOf(all, lookedAtOnce)) seen.push(...(await look(some)));
  return seen;
}

/** The root is read after the key, and only if the key does not have its copy. */
async function lookAtPlaced(
  context: VerifyContext,
  placed: readonly PlacedKey[],
): Promise<readonly (readonly [PlacedKey, Look])[]> {
  const { table } = context.registry;
  const items = await readByKey(
    context,
    placed.map(({ key }) => key),
  );
  const roots = await readByKey(
    context,
    placed.flatMap((one) => (hasCopy(table, one, items.get(keyText(one.key))) ? [] : [one.root])),
  );
  return placed.map((one) => {
    const item = items.get(keyText(one.key));
    const root = roots.get(keyText(one.root));
    const classification: CopyClassification = hasCopy(table, one, item)
      ? { is: 'right' }
      : classifyPlaced(table, one, item, root);
    const seen = { copy: digestOf(item), root: digestOf(root) };
    return [one, { rule: one.rule, copy: one.key, placedBy: one.root, classification, seen }];
  });
}

async function readByKey(
  { registry, table }: VerifyContext,
  keys: readonly ItemKey[],
): Promise<ReadonlyMap<string, Item>> {
  const distinct = new Map(keys.map((key) => [keyText(key), key]));
  return byKeyText(registry.table, distinct.size === 0 ? [] : await table.getMany([...distinct.values()]));
}

async function lookAtCopies(
  context: VerifyContext,
  candidates: readonly RuleCandidate[],
): Promise<readonly (readonly [RuleCandidate, Look])[]> {
  const { table } = context.registry;
  const named = candidates.map((candidate) => ({
    candidate,
    root: rootNamed(table, candidate.rule, candidate.copy),
  }));
  const roots = await readByKey(
    context,
    named.flatMap(({ candidate: { rule }, root }) =>
      rule.located.in === 'itself' || !isKey(root) ? [] : [root],
    ),
  );
  return named.map(({ candidate, root: rootKey }) => {
    const { rule, copy } = candidate;
    const key = keyIn(table, copy);
    const root =
      rule.located.in === 'itself' ? copy : isKey(rootKey) ? roots.get(keyText(rootKey)) : undefined;
    const classification = isKey(rootKey)
      ? classifyCopy(context.registry, rule, copy, rootKey, root, context.orphans)
      : rootKey;
    const seen = classification.is === 'drift' ? seenOf(copy, root) : unseen;
    return [candidate, { rule, copy: key, classification, seen }];
  });
}

/** Digests are needed for drift only. */
const unseen = { copy: '', root: '' };

function isKey(root: ItemKey | CopyClassification): root is ItemKey {
  return 'pk' in root;
}

function seenOf(copy: Item, root: Item | undefined): Look['seen'] {
  return { copy: digest(copy), root: root === copy ? 'itself' : digestOf(root) };
}

function digestOf(item: Item | undefined): string {
  return item === undefined ? 'none' : digest(item);
}

function digest(item: Item): string {
  return createHash('sha256').update(canonicalMap(item)).digest('base64url').slice(0, 16);
}
