/**
 * Sweeps a few aged items with their companions, in rounds:
 *
 *   read roots and companions ──> archive the root, set its TTL ──> archive the companions, set their TTL
 *       ^                                   │ condition lost              │
 *       └───────────────────────────────────┴─────────────────────────────┘
 *
 * Each item is archived before its TTL is set. The root comes first, because only the root tells whether they have aged. An
 * interrupted sweep leaves a root with a TTL and companions without one; the next pass completes them.
 */
import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../../model/basics/all-settled-or-throw.ts';
import { batchesOf } from '../../../model/basics/chunks-of.ts';
import { DenormError, TransientError } from '../../../model/basics/errors.ts';
import { byKey, type Item, type ItemKey, keyText } from '../../../model/items/item.ts';
import { type BoundKind, ofKind } from '../../../model/kinds/kind.ts';
import type { GuardedUpdate, WriteOutcome } from '../../../model/work/guarded-write.ts';
import { archiveState } from '../archive-item.ts';
import { archiveLines } from '../archive-lines.ts';
import { isStored, readByWhen } from '../decision.ts';
import { groupOf, type Member } from './aged-group.ts';
import { classifyAge, planExpiry } from './aging.ts';
import type { RootWork } from './sweep-context.ts';

/** For a group whose conditions are lost, before it is left as it is. */
const maxRounds = 4;

const concurrency = 8;

/** Of one kind: their states are in memory until their TTL is set. */
const maxTogether = { count: 100, size: 8 * 1024 ** 2 };

/** @throws TransientError if the table or the archive is unavailable. A retry repeats nothing that is complete. */
export async function sweepRoots(work: RootWork, keys: readonly ItemKey[]): Promise<void> {
  let pending = keys;
  for (let round = 1; pending.length > 0 && round <= maxRounds; round += 1)
    pending = await sweepOnce(work, pending, round === maxRounds);
}

/** @returns the keys of the roots to read again */
async function sweepOnce(work: RootWork, keys: readonly ItemKey[], last: boolean): Promise<ItemKey[]> {
  const { context, outcomes, dryRun } = work;
  const limit = pLimit(concurrency);
  const roots = await context.table.getMany(keys);
  const groups = await allSettledOrThrow(roots.map((root) => limit(() => groupOf(work, root))));
  const members = groups.flat();
  if (dryRun) {
    for (const { kind, key } of members) outcomes.note(kind, key, 'swept');
    return [];
  }
  const incomplete = new Map<string, { readonly root: ItemKey; readonly again: boolean }>();
  for (const role of ['root', 'companion'] as const) {
    const next = members.filter((one) => one.role === role && !incomplete.has(keyText(one.root)));
    for (const step of steps(next))
      for (const [{ root }, outcome] of await giveExpiry(work, step, last)) {
        if (outcome === 'written') continue;
        // A refused write stays refused; all others may succeed in another round.
        const again = outcome !== 'refused' || incomplete.get(keyText(root))?.again === true;
        incomplete.set(keyText(root), { root, again });
      }
  }
  return [...incomplete.values()].flatMap(({ root, again }) => (again ? [root] : []));
}

interface Step {
  readonly kind: BoundKind;
  readonly members: readonly Member[];
}

function steps(members: readonly Member[]): Step[] {
  return [...Map.groupBy(members, ({ kind }) => kind)].flatMap(([kind, own]) =>
    batchesOf(own, maxTogether, ({ bytes }) => bytes).map((some) => ({ kind, members: some })),
  );
}

/**
 * Sets the TTL of items that are as archived.
 * @returns the outcome of each write
 */
async function giveExpiry(
  work: RootWork,
  step: Step,
  last: boolean,
): Promise<ReadonlyMap<Member, WriteOutcome>> {
  const { context, rule, outcomes } = work;
  const { members } = step;
  const states = rule.layout === 'batch' ? await asLines(work, step) : await asObjects(work, step);
  const planned = members.flatMap((member) => {
    const update = planOf(work, member, states.get(member));
    return update === undefined ? [] : [{ member, update }];
  });
  const written = await context.table.update(planned.map(({ update }) => update));
  const answers = new Map(planned.map(({ member }, index) => [member, written[index] ?? 'unavailable']));
  const results = new Map(members.map((member) => [member, answers.get(member) ?? 'lost']));
  for (const [{ kind, key }, outcome] of results) {
    if (outcome === 'unavailable' && last)
      throw new TransientError('sweep.unavailable', `An item of rule ${rule.name} could not be written`, {
        rule: rule.name,
        key,
      });
    if (outcome === 'refused')
      context.telemetry.unclassified({ rule: rule.name, kind: kind.name, key, ...refusal });
    outcomes.note(
      kind,
      key,
      outcome === 'written' ? 'swept' : outcome === 'refused' ? 'unclassified' : 'changed',
    );
  }
  return results;
}

const refusal = {
  code: 'item.refused',
  reason: 'DynamoDB refuses a TTL on this item: it would exceed 400 KB',
};

/** Undefined if the archived state, which may be newer than the one that was classified, is not to expire, or is missing. */
function planOf(
  { context, rule, now }: RootWork,
  { role, kind, key, expiry }: Member,
  state: Item | undefined,
): GuardedUpdate | undefined {
  if (state === undefined) return undefined;
  const { table } = context.registry;
  const expires = role === 'root' ? classifyAge(rule, state, now).is === 'aged' : isStored(rule, kind, state);
  const reads = [...(role === 'root' ? rule.ages.reads : []), ...readByWhen(rule, kind)];
  return expires ? planExpiry(table, key, state, reads, expiry) : undefined;
}

/** None of an item that is gone, or of another kind by now, or that changed faster than it could be stored. */
type States = ReadonlyMap<Member, Item | undefined>;

async function asObjects({ context, rule, tally }: RootWork, { kind, members }: Step): Promise<States> {
  const states = new Map<Member, Item | undefined>();
  const limit = pLimit(concurrency);
  await allSettledOrThrow(
    members.map((member) =>
      limit(async () => {
        try {
          const { key } = member;
          const { report, item } = await archiveState(context, { rule, kind, key, sequence: 0n });
          if (report.outcome === 'stored') tally.stored += 1;
          states.set(member, item);
        } catch (error) {
          if (!(error instanceof DenormError && error.code === 'archive.contended')) throw error;
        }
      }),
    ),
  );
  return states;
}

/** As one object. An item that changes later becomes a line of another one. */
async function asLines({ context, rule, now, tally }: RootWork, { kind, members }: Step): Promise<States> {
  const itemAt = byKey(await context.table.getMany(members.map(({ key }) => key)));
  const states = new Map<Member, Item>();
  for (const member of members) {
    const item = ofKind(kind, itemAt(member.key)?.item);
    if (item !== undefined) states.set(member, item);
  }
  const lines = [...states].map(([{ key }, item]) => ({ key, item, sequence: 0n, final: false, at: now }));
  const reports = await archiveLines(context, rule, kind, lines);
  tally.stored += reports.filter(({ outcome }) => outcome === 'stored').length;
  return states;
}
