import { DenormError } from '../../model/basics/errors.ts';
import { type Change, inSequence, isLater, type Unreadable } from '../../model/items/change.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { DeadLetter } from '../../model/work/message.ts';
import { BatchWork } from '../batch/batch-work.ts';
import {
  faultAsDeadLetter,
  type Group,
  groupByItem,
  type StreamRecord,
  unreadableAsDeadLetter,
} from '../batch/group.ts';
import { archiveBeats } from '../heartbeat.ts';
import { type ArchiveContext, archiveLast, archiveState, eraseDeleted } from './archive-item.ts';
import { archiveLines, type StateOfItem } from './archive-lines.ts';
import { type Archiving, archivingOf } from './decision.ts';

/**
 * Archives the items of a batch: those that will expire, and those that have. A record that fails is never put on the fan-out
 * queue, which carries keys only: its image may be the only one left.
 * @returns the records to deliver again, each with its error
 * @throws FatalError if no record could be processed
 */
export async function archiveBatch(
  context: ArchiveContext,
  records: readonly StreamRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const work = new BatchWork(context.concurrency, context.telemetry);
  const { groups, beats, unreadable } = groupByItem(context.registry.table, records);
  const decided = groups.flatMap((group) => {
    const archivings = work.plan(group.ids, () => archivingsOf(context.registry, group.changes));
    return archivings === undefined ? [] : [{ ...group, archivings }];
  });
  await Promise.all([
    ...unreadable.map(({ id, parsed }) => work.run([id], () => deadLetterUnreadable(context, parsed))),
    ...decided.map((group) => work.run(group.ids, () => archiveItem(context, group))),
    ...decided.map((group) => work.run(group.ids, () => deadLetterFault(context, group))),
    beats && work.run(beats.ids, () => archiveBeats(context, beats)),
    ...linesByKind(decided).map(({ ids, rule, kind, states }) =>
      work.run(ids, async () => {
        for (const report of await archiveLines(context, rule, kind, states))
          context.telemetry.archived(report);
      }),
    ),
  ]);
  return work.outcome();
}

type DecidedGroup = Group & { readonly archivings: readonly Archiving[] };

/**
 * The item's next record brings what a dead letter lacks. A removal has none, and its image may be the last there is: it fails
 * until Lambda puts it whole into the on-failure destination.
 * @throws DenormError `record.unreadable` for a removal
 */
async function deadLetterUnreadable(context: ArchiveContext, unreadable: Unreadable): Promise<void> {
  const letter = unreadableAsDeadLetter(unreadable);
  if (unreadable.lastImage) throw new DenormError(letter.code, `${letter.reason} (${unreadable.record})`);
  await deadLetter(context, letter);
}

/** A state on which `when` fails is stored all the same. A failed record would come again and hold up its shard. */
async function deadLetterFault(context: ArchiveContext, group: DecidedGroup): Promise<void> {
  const fault = group.archivings.flatMap((one) => one.fault ?? []).at(-1);
  if (fault !== undefined) await deadLetter(context, faultAsDeadLetter(group, fault));
}

async function deadLetter({ queue, telemetry }: ArchiveContext, letter: DeadLetter): Promise<void> {
  await queue.deadLetter([letter]);
  telemetry.deadLettered(letter);
}

/** Each final state, as the rule says, and the newest state if it has an expiry. States between them no longer exist. */
function archivingsOf(registry: Registry, changes: readonly Change[]): readonly Archiving[] {
  const ordered = inSequence(changes);
  return ordered
    .filter(({ after }, index) => after === undefined || index === ordered.length - 1)
    .map((change) => archivingOf(registry, change))
    .filter((found) => typeof found !== 'string');
}

async function archiveItem(context: ArchiveContext, { changes, archivings }: DecidedGroup): Promise<void> {
  for (const { rule, kind, change, image, because } of archivings) {
    if (rule.layout !== 'object' || because === 'excluded') continue;
    const { key, sequence } = change;
    const item = { rule, kind, key, sequence };
    const made = inSequence(changes).findLast((other) => isLater(sequence, other.sequence))?.sequence;
    const report =
      because === 'erased'
        ? await eraseDeleted(context, item)
        : because === 'expiring'
          ? (await archiveState(context, item, image)).report
          : await archiveLast(context, item, image, made);
    context.telemetry.archived(report);
  }
}

/** Under rules with the layout `batch`, one object for each kind. */
function linesByKind(groups: readonly DecidedGroup[]) {
  const lines = groups
    .flatMap(({ ids, archivings }) => archivings.map((archiving) => ({ ids, ...archiving })))
    .filter(({ rule, because }) => rule.layout === 'batch' && because !== 'excluded');
  return [...Map.groupBy(lines, ({ kind }) => kind).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { rule, kind } = first;
    const ids = [...new Set(own.flatMap(({ ids }) => ids))];
    const states = own.map(({ change: { key, sequence, at }, image: item, because }): StateOfItem => {
      return { key, item, sequence, final: because !== 'expiring', at };
    });
    return [{ rule, kind, ids, states }];
  });
}
