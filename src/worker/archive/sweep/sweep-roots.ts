/**
 * Sweeps a few aged items with their companions, in rounds:
 *
 *   read root ──> read companions ──> archive all ──> set the root's TTL ──> set the companions' TTL
 *       ^                                                  │ condition lost       │
 *       └──────────────────────────────────────────────────┴──────────────────────┘
 *
 * The root comes first, because only the root tells whether they have aged. An interrupted sweep leaves a root with a
 * TTL and companions without one; the next pass completes them.
 */
import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../../model/all-settled-or-throw.ts';
import { chunksOf } from '../../../model/chunks-of.ts';
import { DenormError, TransientError } from '../../../model/errors.ts';
import type { WriteOutcome } from '../../../model/guarded-write.ts';
import { byKeyText, type Item, type ItemKey, keyText } from '../../../model/item.ts';
import { admissionOf, readByWhen } from '../admission.ts';
import { archiveState } from '../archive-item.ts';
import { archiveLines } from '../archive-lines.ts';
import { digestOf } from '../object.ts';
import { type Group, groupOf, keysAtOnce, type Member } from './aged-group.ts';
import { classifyAge, planExpiry } from './aging.ts';
import type { RootWork } from './sweep-context.ts';
import type { SweepOutcome } from './sweep-tally.ts';

/** Rounds for a group whose conditions are lost, before it is left as it is. */
const maxRounds = 4;

/** Groups that are read in parallel. */
const groupsAtOnce = 8;

/** Items that are archived in parallel. */
const archivedAtOnce = 8;

/**
 * Sweeps these roots and records an outcome for each of them and their companions.
 * @throws TransientError if the table or the archive is unavailable. A retry repeats nothing that is complete.
 */
export async function sweepRoots(work: RootWork, keys: readonly ItemKey[]): Promise<void> {
  let pending = keys;
  for (let round = 1; pending.length > 0 && round <= maxRounds; round += 1)
    pending = await sweepOnce(work, pending, round === maxRounds);
}

/** @returns the keys of the roots to read again */
async function sweepOnce(work: RootWork, keys: readonly ItemKey[], last: boolean): Promise<ItemKey[]> {
  const { context, outcomes, dryRun } = work;
  const limit = pLimit(groupsAtOnce);
  const roots = await context.table.getMany(keys);
  const found = await allSettledOrThrow(roots.map((root) => limit(() => groupOf(work, root))));
  const groups = found.filter((group) => group !== undefined);
  const members = groups.flatMap((group) => group.members.map((member) => ({ group, member })));
  if (dryRun) {
    for (const { member } of members) outcomes.note(member.kind, member.key, 'swept');
    return [];
  }
  const archived = await archiveMembers(
    work,
    members.map(({ member }) => member),
  );
  const left = new Map<Group, 'again' | 'never'>();
  for (const role of ['root', 'companion'] as const) {
    const writes = members
      .filter(({ group, member }) => member.role === role && !left.has(group))
      .map(({ group, member }) => ({ group, member, archived: archived.get(member) }));
    for (const some of inSteps(writes, ({ archived: state }) => typeof state !== 'string'))
      for (const [group, why] of await giveExpiry(work, await withStates(work, some), last))
        if (left.get(group) !== 'again') left.set(group, why);
  }
  return [...left].flatMap(([{ root }, why]) => (why === 'again' ? [root] : []));
}

/** The archived state of an item, or its digest if it is not kept; undefined if the item is gone or kept changing. */
type ArchivedAs = Item | string | undefined;

interface ArchivedMember {
  readonly group: Group;
  readonly member: Member;
  readonly archived: ArchivedAs;
}

interface Write {
  readonly group: Group;
  readonly member: Member;
  /** The archived state; undefined if the item is gone or has changed. */
  readonly state: Item | undefined;
}

/** First what was kept, all together, then the rest in steps that fit into memory. */
function inSteps<One>(all: readonly One[], isKept: (one: One) => boolean): readonly One[][] {
  const rest = all.filter((one) => !isKept(one));
  return [all.filter(isKept), ...chunksOf(rest, keysAtOnce)].filter((some) => some.length > 0);
}

/** Reads again what was not kept. */
async function withStates({ context }: RootWork, some: readonly ArchivedMember[]): Promise<Write[]> {
  const unkept = some.filter(({ archived }) => typeof archived === 'string').map(({ member }) => member.key);
  const items = unkept.length === 0 ? [] : await context.table.getMany(unkept);
  const byKey = byKeyText(context.registry.table, items);
  return some.map(({ group, member, archived }) => {
    if (typeof archived !== 'string') return { group, member, state: archived };
    const item = byKey.get(keyText(member.key));
    return { group, member, state: item && digestOf(item) === archived ? item : undefined };
  });
}

/** @returns the groups that are not complete, and whether another round can complete them */
async function giveExpiry(
  work: RootWork,
  writes: readonly Write[],
  last: boolean,
): Promise<ReadonlyMap<Group, 'again' | 'never'>> {
  const { context, rule, outcomes, tally } = work;
  const planned = writes.map((write) => ({ ...write, plan: planOf(work, write) }));
  const plans = planned.map(({ plan }) => plan).filter((plan) => plan !== undefined);
  const written = await context.table.update(plans.map(({ update }) => update));
  const answers = new Map(plans.map((plan, location) => [plan, written[location]]));
  const left = new Map<Group, 'again' | 'never'>();
  for (const { group, member, plan } of planned) {
    const outcome = plan === undefined ? 'lost' : (answers.get(plan) ?? 'unavailable');
    if (outcome === 'unavailable' && last)
      throw new TransientError('sweep.unavailable', `An item of rule ${rule.name} could not be written`, {
        rule: rule.name,
        key: member.key,
      });
    if (outcome === 'refused')
      context.telemetry.unclassified({
        rule: rule.name,
        kind: member.kind.name,
        key: member.key,
        ...refused,
      });
    outcomes.note(member.kind, member.key, noted[outcome]);
    if (plan?.narrowed && outcome === 'written') tally.narrowed += 1;
    if (outcome !== 'written' && left.get(group) !== 'again')
      left.set(group, outcome === 'refused' ? 'never' : 'again');
  }
  return left;
}

/** Plans the TTL of an item; undefined if it is gone, kept changing, or has not aged any more. */
function planOf(work: RootWork, { group, member, state }: Write): ReturnType<typeof planExpiry> | undefined {
  if (state === undefined || !stillAsks(work, member, state)) return undefined;
  const { context, rule } = work;
  return planExpiry(
    context.registry.table,
    state,
    [...(member.role === 'root' ? rule.ages.reads : []), ...readByWhen(rule, member.kind)],
    group.expiry,
  );
}

/** The outcome for each result of the write, unless a later round replaces it. */
const noted: Readonly<Record<WriteOutcome, SweepOutcome>> = {
  written: 'swept',
  lost: 'changed',
  root: 'changed',
  throttled: 'changed',
  unavailable: 'changed',
  refused: 'unclassified',
};

const refused = {
  code: 'item.refused',
  reason: 'DynamoDB refuses a TTL on this item: it would exceed 400 KB',
};

/** Whether the archived state is to expire as well: it may be newer than the state that was classified. */
function stillAsks({ context, rule, now }: RootWork, { role, kind }: Member, state: Item): boolean {
  const { table } = context.registry;
  if (role === 'companion') return admissionOf(table, rule, kind, state).stores;
  return classifyAge(table, rule, state, now).is === 'aged';
}

/**
 * Archives these items: in the layout `object` as they are now, in the layout `batch` as they were read.
 * @returns the archived states; undefined or missing if the item is gone or changed faster than it could be stored
 */
export function archiveMembers(
  work: RootWork,
  members: readonly Member[],
): Promise<ReadonlyMap<Member, ArchivedAs>> {
  return work.rule.layout === 'batch' ? asLines(work, members) : asObjects(work, members);
}

async function asObjects(
  { context, rule, tally, kept }: RootWork,
  members: readonly Member[],
): Promise<ReadonlyMap<Member, ArchivedAs>> {
  const states = new Map<Member, ArchivedAs>();
  const limit = pLimit(archivedAtOnce);
  await allSettledOrThrow(
    members.map((member) =>
      limit(async () => {
        try {
          const { kind, key } = member;
          const { report, item } = await archiveState(context, { rule, kind, key });
          if (report.outcome === 'stored') tally.stored += 1;
          states.set(member, item && (kept.keep(item) ?? digestOf(item)));
        } catch (error) {
          if (!(error instanceof DenormError && error.code === 'archive.contended')) throw error;
        }
      }),
    ),
  );
  return states;
}

/** One object for each kind, and one more for each 10 items that were not kept. */
async function asLines(work: RootWork, members: readonly Member[]): Promise<ReadonlyMap<Member, ArchivedAs>> {
  const states = new Map<Member, ArchivedAs>();
  for (const own of Map.groupBy(members, ({ kind }) => kind).values()) {
    for (const some of inSteps(own, ({ item }) => item !== undefined)) {
      const items = await itemsOf(work, some);
      await archiveLinesOf(work, items);
      for (const [member, item] of items) states.set(member, member.item ?? digestOf(item));
    }
  }
  return states;
}

async function itemsOf({ context }: RootWork, members: readonly Member[]): Promise<Map<Member, Item>> {
  const unkept = members.filter(({ item }) => item === undefined).map(({ key }) => key);
  const read = unkept.length === 0 ? [] : await context.table.getMany(unkept);
  const byKey = byKeyText(context.registry.table, read);
  const items = members.map((member) => [member, member.item ?? byKey.get(keyText(member.key))] as const);
  return new Map(items.flatMap(([member, item]) => (item === undefined ? [] : [[member, item]])));
}

/** Items of one kind. One that changes later loses its condition and becomes a line of another batch. */
async function archiveLinesOf(
  { context, rule, now, tally }: RootWork,
  items: ReadonlyMap<Member, Item>,
): Promise<void> {
  const [first] = items.keys();
  if (first === undefined) return;
  const states = [...items].map(([{ key }, item]) => ({ key, item, sequence: 0n, final: false, at: now }));
  const reports = await archiveLines(context, rule, first.kind, states);
  tally.stored += reports.filter(({ outcome }) => outcome === 'stored').length;
}
