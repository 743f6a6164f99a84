import { createHash } from 'node:crypto';
import { canonicalMap } from '../model/attribute-value.ts';
import { byKeyText, type Item, type ItemKey, keyIn, keyText } from '../model/item.ts';
import type { Registry } from '../model/registry.ts';
import type { Rule } from '../model/rule.ts';
import type { TablePort } from '../ports.ts';
import { type CopyClassification, classifyCopy, type Orphans, rootNamed } from './classify-copy.ts';

/** Everything that is needed to classify copies. */
export interface VerifyContext {
  readonly registry: Registry;
  readonly table: Pick<TablePort, 'getMany'>;
  readonly orphans: Orphans;
}

/** A copy to check by a rule. */
export interface Candidate {
  readonly rule: Rule;
  readonly copy: Item;
}

/**
 * The classification of a copy, and digests of what was read. Two looks with equal digests have seen the same items.
 */
export interface Look {
  readonly rule: Rule;
  readonly copy: ItemKey;
  readonly classification: CopyClassification;
  readonly seen: { readonly copy: string; readonly root: string };
}

/**
 * Classifies copies against their roots. Each root is read once, strongly consistent and after the copies, as a
 * propagation does.
 */
export async function lookAt(
  context: VerifyContext,
  candidates: readonly Candidate[],
): Promise<readonly Look[]> {
  const { table } = context.registry;
  const named = candidates.map(({ rule, copy }) => ({ rule, copy, root: rootNamed(table, rule, copy) }));
  const asked = new Map(
    named.flatMap(({ rule, root }) =>
      rule.located.in === 'itself' || !isKey(root) ? [] : [[keyText(root), root] as const],
    ),
  );
  const roots = byKeyText(table, asked.size === 0 ? [] : await context.table.getMany([...asked.values()]));
  return named.map(({ rule, copy, root: rootKey }): Look => {
    const key = keyIn(table, copy);
    const root =
      rule.located.in === 'itself' ? copy : isKey(rootKey) ? roots.get(keyText(rootKey)) : undefined;
    const classification = isKey(rootKey)
      ? classifyCopy(context.registry, rule, copy, rootKey, root, context.orphans)
      : rootKey;
    return {
      rule,
      copy: key,
      classification,
      seen: classification.is === 'drift' ? seenOf(copy, root) : unseen,
    };
  });
}

/** Digests are needed for drift only. */
const unseen = { copy: '', root: '' };

function isKey(root: ItemKey | CopyClassification): root is ItemKey {
  return 'pk' in root;
}

function seenOf(copy: Item, root: Item | undefined): Look['seen'] {
  return { copy: digest(copy), root: root === undefined ? 'none' : root === copy ? 'itself' : digest(root) };
}

function digest(item: Item): string {
  return createHash('sha256').update(canonicalMap(item)).digest('base64url').slice(0, 16);
}
