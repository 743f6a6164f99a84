/**
 * Sweeps a few aged items, each with what goes with it, in rounds:
 *
 *   root read ──> companions read ──> all archived, as they are then ──> root given its expiry ──> companions the same
 *       ^                                                                  │ condition lost          │
 *       └──────────────────────────────────────────────────────────────────┴─────────────────────────┘
 *
 * The root comes first, because it alone says whether they have aged. A sweep that dies in between leaves a root with an
 * expiry and companions without: the next one that comes by finds just that, and gives them the same.
 */
import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../model/all-settled-or-throw.ts';
import { DenormError, TransientError } from '../../model/errors.ts';
import type { WriteOutcome } from '../../model/guarded-write.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import { archiveState } from '../archive-item.ts';
import { archiveLines } from '../archive-lines.ts';
import { type Group, groupOf, type Member } from './aged-group.ts';
import { classifyAge, planExpiry } from './aging.ts';
import type { RootWork } from './sweep-context.ts';
import type { SweepOutcome } from './sweep-tally.ts';

/** How often a group is looked at whose conditions are lost, before it is left as it is. */
const maxRounds = 4;

/** Groups that are read in parallel. */
const groupsAtOnce = 8;

/** Items that are archived in parallel. */
const archivedAtOnce = 8;

/**
 * Sweeps these roots, and notes what became of each and of what goes with it.
 * @throws TransientError where the table or the archive is not there for now: it may be done again, and does nothing twice
 */
export async function sweepRoots(work: RootWork, keys: readonly ItemKey[]): Promise<void> {
  let pending = keys;
  for (let round = 1; pending.length > 0 && round <= maxRounds; round += 1)
    pending = await sweepOnce(work, pending, round === maxRounds);
}

/** @returns the keys of the roots that are to be looked at again */
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
  const states = await archiveMembers(
    work,
    members.map(({ member }) => member),
  );
  const left = new Map<Group, 'again' | 'never'>();
  for (const role of ['root', 'companion'] as const) {
    const writes = members
      .filter(({ group, member }) => member.role === role && !left.has(group))
      .map(({ group, member }) => ({ group, member, state: states.get(member) }));
    for (const [group, why] of await giveExpiry(work, writes, last)) left.set(group, why);
  }
  return [...left].flatMap(([{ root }, why]) => (why === 'again' ? [root] : []));
}

interface Write {
  readonly group: Group;
  readonly member: Member;
  /** As it stands in the archive; undefined where it does not, because it went or kept changing. */
  readonly state: Item | undefined;
}

/** @returns the groups that are not done with, and whether they can be */
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

/** How an item is given its expiry; undefined where it went, kept changing, or asks for none any more. */
function planOf(work: RootWork, { group, member, state }: Write): ReturnType<typeof planExpiry> | undefined {
  if (state === undefined || !stillAsks(work, member, state)) return undefined;
  const { context, rule } = work;
  return planExpiry(
    context.registry.table,
    state,
    member.role === 'root' ? rule.ages.reads : [],
    group.expiry,
  );
}

/** What is said of an item whose write came out so, as long as nothing else is found at another look. */
const noted: Readonly<Record<WriteOutcome, SweepOutcome>> = {
  written: 'swept',
  lost: 'changed',
  root: 'changed',
  unavailable: 'changed',
  refused: 'unclassified',
};

const refused = {
  code: 'item.refused',
  reason: 'DynamoDB takes no expiry on this item: it would grow beyond 400 KB',
};

/** Whether the state that was archived, which may be newer than the one that was judged, asks for an expiry as well. */
function stillAsks({ context, rule, now }: RootWork, { role }: Member, state: Item): boolean {
  return role === 'companion' || classifyAge(context.registry.table, rule, state, now).is === 'aged';
}

/**
 * Sees to it that each of these stands in the archive: as it is by then in an object of its own, or as it was read in a
 * line of one that they share.
 * @returns the very states that stand there; an item that is gone, or that changes faster than it can be stored, has none
 */
export function archiveMembers(
  work: RootWork,
  members: readonly Member[],
): Promise<ReadonlyMap<Member, Item | undefined>> {
  return work.rule.layout === 'batch' ? asLines(work, members) : asObjects(work, members);
}

async function asObjects(
  { context, rule, tally }: RootWork,
  members: readonly Member[],
): Promise<ReadonlyMap<Member, Item | undefined>> {
  const states = new Map<Member, Item | undefined>();
  const limit = pLimit(archivedAtOnce);
  await allSettledOrThrow(
    members.map((member) =>
      limit(async () => {
        try {
          const { kind, key } = member;
          const { report, item } = await archiveState(context, { rule, kind, key });
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

/** One object for each kind. What changes afterwards loses its condition, and is a line of another object. */
async function asLines(
  { context, rule, now, tally }: RootWork,
  members: readonly Member[],
): Promise<ReadonlyMap<Member, Item>> {
  const byKind = Map.groupBy(members, ({ kind }) => kind);
  const reports = await allSettledOrThrow(
    [...byKind].map(([kind, own]) =>
      archiveLines(
        context,
        rule,
        kind,
        own.map(({ key, item }) => ({ key, item, sequence: 0n, final: false, at: now })),
      ),
    ),
  );
  tally.stored += reports.flat().filter(({ outcome }) => outcome === 'stored').length;
  return new Map(members.map((member) => [member, member.item]));
}
