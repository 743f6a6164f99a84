/**
 * Checks suspected drift again, strongly consistent, after a grace period: a change may still be on its way to the
 * copy.
 *
 *   suspected drift ──after the grace period──> right, or gone: dismissed
 *      ^                   │
 *      │                   ├─ copy and root unchanged ───────────> drift
 *      │                   ├─ copy unchanged, root changed ──────> after three such checks: drift
 *      └── check again ────┴─ copy written ──────────────────────> after ten checks: unstable
 */
import { byKey, type KeyedItem, keyText } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { type Candidate, copiesIn } from './candidates.ts';
import type { Drift } from './drift.ts';
import { type Look, lookAt, type VerifyContext } from './inspect.ts';
import type { SuspectedDrift } from './verify-state.ts';

const looksWithoutRoot = 3;
const maxLooks = 10;

export function suspectedIn(looks: readonly Look[], dueAt: number): readonly SuspectedDrift[] {
  return looks.flatMap(({ rule, copy, placedBy: root, seen, classification }) =>
    classification.is === 'drift'
      ? [{ rule: rule.name, copy, ...(root && { root }), seen, looks: 1, left: 0, dueAt }]
      : [],
  );
}

export interface LookedAgain {
  /** Confirmed drift, with the suspects it was found for. */
  readonly drifted: { readonly drift: Drift; readonly suspectedDrift: SuspectedDrift }[];
  /** The rule of each unstable copy. */
  readonly unstable: string[];
  readonly again: SuspectedDrift[];
}

/** @param dueAt when those that have to be checked once more are due */
export async function lookAgainAt(
  context: VerifyContext,
  due: readonly SuspectedDrift[],
  dueAt: () => number,
): Promise<LookedAgain> {
  const { registry, table } = context;
  const keys = new Map(due.flatMap(({ copy, root }) => (root === undefined ? [[keyText(copy), copy]] : [])));
  const copyAt = byKey(await table.getMany([...keys.values()]));
  const there = due.flatMap((suspectedDrift) => {
    const candidate = candidateOf(registry, suspectedDrift, copyAt(suspectedDrift.copy));
    return candidate === undefined ? [] : [{ suspectedDrift, candidate }];
  });
  const looks = await lookAt(
    context,
    there.map(({ candidate }) => candidate),
  );
  const result: LookedAgain = { drifted: [], unstable: [], again: [] };
  there.forEach(({ suspectedDrift }, index) => {
    const look = looks[index];
    if (look?.classification.is !== 'drift') return;
    const next = nextOf(suspectedDrift, look, dueAt());
    if (next === 'drift') result.drifted.push({ drift: look.classification.drift, suspectedDrift });
    else if (next === 'unstable') result.unstable.push(suspectedDrift.rule);
    else result.again.push(next);
  });
  return result;
}

/** @param copy the item at the suspect's key, which may be of another kind now */
function candidateOf(
  registry: Registry,
  { rule: name, copy: key, root }: SuspectedDrift,
  copy: KeyedItem | undefined,
): Candidate | undefined {
  if (root !== undefined) {
    const rule = registry.rule(name);
    if (rule !== undefined) return { is: 'placed', rule, root, key };
    const aggregate = registry.aggregate(name);
    return aggregate && { is: 'entry', rule: aggregate, target: root, member: key };
  }
  const there = copy && copiesIn(registry, copy).find(({ rule }) => rule.name === name);
  const making = registry.aggregate(name);
  return there ?? (making?.creates ? { is: 'made', rule: making, target: key } : undefined);
}

function nextOf(
  suspectedDrift: SuspectedDrift,
  { seen }: Look,
  dueAt: number,
): SuspectedDrift | 'drift' | 'unstable' {
  const { waits: _, ...before } = suspectedDrift;
  const unchanged = seen.copy === suspectedDrift.seen.copy;
  const left = unchanged ? suspectedDrift.left + 1 : 0;
  if (unchanged && (seen.root === suspectedDrift.seen.root || left >= looksWithoutRoot)) return 'drift';
  const looks = suspectedDrift.looks + 1;
  return looks >= maxLooks ? 'unstable' : { ...before, seen, looks, left, dueAt };
}
