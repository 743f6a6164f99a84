import { BatchWork } from '../batch/batch-work.ts';
import { groupByItem, type StreamRecord, unreadableAsDeadLetter } from '../batch/group.ts';
import { type Change, inSequence } from '../model/change.ts';
import { attribute } from '../model/item.ts';
import { archivedAs } from '../model/registry.ts';
import { type ArchiveContext, archiveCurrent, archiveLast, eraseDeleted } from './archive-item.ts';
import { archiveLines } from './archive-lines.ts';
import { linesByKind } from './lines-of-batch.ts';

/**
 * Archives what a batch of stream records says is going to expire, or has expired. A record that cannot be seen to is
 * never handed to the keys-only queue: its image may be the only one left. It comes again, or goes whole to the
 * on-failure destination.
 * @returns the records that must come again, with why
 * @throws FatalError where no record could be worked on
 */
export async function archiveBatch(
  context: ArchiveContext,
  records: readonly StreamRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const work = new BatchWork(context.concurrency, context.telemetry);
  const { groups, unreadable } = groupByItem(records);
  await Promise.all([
    ...unreadable.map(({ id, says }) =>
      work.run([id], async () => {
        await context.queue.deadLetter([unreadableAsDeadLetter(says)]);
        context.telemetry.deadLettered(unreadableAsDeadLetter(says));
      }),
    ),
    ...groups.map(({ ids, changes }) => work.run(ids, () => archiveItem(context, changes))),
    ...linesByKind(context.registry, groups).map(({ ids, rule, kind, states }) =>
      work.run(ids, async () => {
        for (const report of await archiveLines(context, rule, kind, states))
          context.telemetry.archived(report);
      }),
    ),
  ]);
  return work.outcome();
}

/**
 * An item with an object of its own: every last state in the changes is kept or erased, as its rule says, in their order;
 * the newest state is stored if it is going to expire, however many changes led to it.
 */
async function archiveItem(context: ArchiveContext, changes: readonly Change[]): Promise<void> {
  const ordered = inSequence(changes);
  for (const change of ordered) {
    const { key, before, after, sequence } = change;
    const last = after === undefined ? before : undefined;
    if (last === undefined) continue;
    const found = archivedAs(context.registry, last);
    if (found?.rule.layout !== 'object') continue;
    const made = ordered.findLast((other) => other.sequence < sequence)?.sequence;
    if (change.expired || found.rule.onDelete === 'archive')
      context.telemetry.archived(await archiveLast(context, { ...found, key, sequence }, last, made));
    else if (found.rule.onDelete === 'erase')
      context.telemetry.archived(await eraseDeleted(context, { ...found, key, sequence }));
  }
  // What expires no more, or is gone by now, has nothing left to store: its end was seen to above.
  const newest = ordered.at(-1);
  if (newest?.after === undefined || attribute(newest.after, context.registry.table.ttl) === undefined)
    return;
  const found = archivedAs(context.registry, newest.after);
  if (found?.rule.layout !== 'object') return;
  context.telemetry.archived(await archiveCurrent(context, { ...found, ...newest }, newest.after));
}
