import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../model/all-settled-or-throw.ts';
import { DenormError } from '../../model/errors.ts';
import type { Item } from '../../model/item.ts';
import { archiveState } from '../archive-item.ts';
import { archiveLines } from '../archive-lines.ts';
import type { Member } from './aged-group.ts';
import type { RootWork } from './sweep-context.ts';

/** Items that are archived side by side. */
const concurrency = 8;

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
  const limit = pLimit(concurrency);
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
