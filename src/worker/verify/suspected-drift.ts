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
import { byKeyText, type Item, keyText } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import type { ClockPort } from '../ports.ts';
import type { Drift, Found } from './drift.ts';
import { type Candidate, copiesIn, type Look, lookAt, type VerifyContext } from './inspect.ts';
import { Suspects } from './suspects.ts';
import type { SuspectedDrift } from './verify-state.ts';

/** The result of checks: confirmed drift, and the rule of each unstable copy. */
export interface Confirmed {
  readonly found: readonly Found[];
  readonly unstable: readonly string[];
}

export interface SuspectedDriftsOptions extends VerifyContext {
  readonly clock: ClockPort;
  /** How long a change may take to reach its copies, in milliseconds. */
  readonly grace: number;
  /**
   * Receives the result of checks. After it has resolved, `done` is called and the suspects are dropped, except those
   * whose drift is `postponed`: they are checked again at the next opportunity.
   */
  readonly confirm: (
    confirmed: Confirmed,
  ) => Promise<{ readonly done: () => void; readonly postponed: readonly Drift[] }>;
}

const looksWithoutRoot = 3;
const maxLooks = 10;

/** Suspects that are checked together. */
const atOnce = 500;

/** @param suspects of an interrupted search */
export function suspectedDrifts(
  options: SuspectedDriftsOptions,
  suspects: readonly SuspectedDrift[],
): Suspects<SuspectedDrift> {
  const { clock, confirm } = options;
  async function lookAgain(due: readonly SuspectedDrift[]) {
    const { drifted, unstable, again } = await classified(options, due);
    const { done, postponed } = await confirm({ found: drifted.map(({ found }) => found), unstable });
    const repeated = drifted.filter(({ found }) => postponed.includes(found.drift));
    return { again: [...again, ...repeated.map(({ suspectedDrift }) => suspectedDrift)], done };
  }
  return new Suspects({ clock, atOnce, lookAgain }, suspects);
}

/** The suspects among these first looks. */
export function suspectedIn(looks: readonly Look[], dueAt: number): readonly SuspectedDrift[] {
  return looks.flatMap(({ rule, copy, placedBy: root, seen, classification }) =>
    classification.is === 'drift'
      ? [{ rule: rule.name, copy, ...(root && { root }), seen, looks: 1, left: 0, dueAt }]
      : [],
  );
}

interface Classified {
  /** Confirmed drift, with the suspects it was found for. */
  readonly drifted: { readonly found: Found; readonly suspectedDrift: SuspectedDrift }[];
  readonly unstable: string[];
  readonly again: SuspectedDrift[];
}

async function classified(
  options: SuspectedDriftsOptions,
  due: readonly SuspectedDrift[],
): Promise<Classified> {
  const { registry, table, clock, grace } = options;
  const keys = new Map(due.flatMap(({ copy, root }) => (root === undefined ? [[keyText(copy), copy]] : [])));
  const copies = byKeyText(registry.table, keys.size === 0 ? [] : await table.getMany([...keys.values()]));
  const there = due.flatMap((suspectedDrift) => {
    const candidate = candidateOf(registry, suspectedDrift, copies.get(keyText(suspectedDrift.copy)));
    return candidate === undefined ? [] : [{ suspectedDrift, candidate }];
  });
  const looks = await lookAt(
    options,
    there.map(({ candidate }) => candidate),
  );
  const result: Classified = { drifted: [], unstable: [], again: [] };
  there.forEach(({ suspectedDrift }, index) => {
    const look = looks[index];
    if (look?.classification.is !== 'drift') return;
    const next = nextOf(suspectedDrift, look, clock.now() + grace);
    if (next === 'drift') result.drifted.push({ found: look.classification, suspectedDrift });
    else if (next === 'unstable') result.unstable.push(suspectedDrift.rule);
    else result.again.push(next);
  });
  return result;
}

/** @param copy the item at the suspect's key, which may be of another kind now */
function candidateOf(
  registry: Registry,
  { rule: name, copy: key, root }: SuspectedDrift,
  copy: Item | undefined,
): Candidate | undefined {
  if (root !== undefined) {
    const rule = registry.rule(name);
    return rule && { rule, root, key };
  }
  return copy && copiesIn(registry.table, registry, copy).find(({ rule }) => rule.name === name);
}

function nextOf(
  suspectedDrift: SuspectedDrift,
  { seen }: Look,
  dueAt: number,
): SuspectedDrift | 'drift' | 'unstable' {
  const unchanged = seen.copy === suspectedDrift.seen.copy;
  const left = unchanged ? suspectedDrift.left + 1 : 0;
  if (unchanged && (seen.root === suspectedDrift.seen.root || left >= looksWithoutRoot)) return 'drift';
  const looks = suspectedDrift.looks + 1;
  return looks >= maxLooks ? 'unstable' : { ...suspectedDrift, seen, looks, left, dueAt };
}
