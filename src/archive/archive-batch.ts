import { type Change, inSequence } from '../model/change.ts';
import { attribute } from '../model/item.ts';
import { archivedAs } from '../model/registry.ts';
import { type ArchiveEngine, archiveCurrent, archiveLast, eraseDeleted } from './archive-item.ts';
import { archiveLines } from './archive-lines.ts';
import { Attempts } from '../batch/batch-work.ts';
import { groupByItem, type StreamRecord, unreadableAsParked } from '../batch/group.ts';
import { linesByKind } from './lines-of-batch.ts';

/**
 * Archives what a batch of stream records says is going to expire, or has expired. A record that cannot be seen to is
 * never handed to the keys-only queue: its image may be the only one left. It comes again, or goes whole to the
 * on-failure destination.
 * @returns the records that must come again, with why
 * @throws Unworkable where no record could be worked on
 */
export async function archiveBatch(
  engine: ArchiveEngine,
  records: readonly StreamRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const attempts = new Attempts(engine.concurrency, engine.telemetry);
  const { groups, unreadable } = groupByItem(records);
  await Promise.all([
    ...unreadable.map(({ id, says }) =>
      attempts.run([id], async () => {
        await engine.queue.park([unreadableAsParked(says)]);
        engine.telemetry.parked(unreadableAsParked(says));
      }),
    ),
    ...groups.map(({ ids, changes }) => attempts.run(ids, () => archiveItem(engine, changes))),
    ...linesByKind(engine.registry, groups).map(({ ids, rule, kind, states }) =>
      attempts.run(ids, async () => {
        for (const report of await archiveLines(engine, rule, kind, states))
          engine.telemetry.archived(report);
      }),
    ),
  ]);
  return attempts.outcome();
}

/**
 * An item with an object of its own: every last state in the changes is kept or erased, as its rule says, in their order;
 * the newest state is stored if it is going to expire, however many changes led to it.
 */
async function archiveItem(engine: ArchiveEngine, changes: readonly Change[]): Promise<void> {
  const ordered = inSequence(changes);
  for (const change of ordered) {
    const { key, before, after, sequence } = change;
    const last = after === undefined ? before : undefined;
    if (last === undefined) continue;
    const found = archivedAs(engine.registry, last);
    if (found?.rule.layout !== 'object') continue;
    const made = ordered.findLast((other) => other.sequence < sequence)?.sequence;
    if (change.expired || found.rule.onDelete === 'archive')
      engine.telemetry.archived(await archiveLast(engine, { ...found, key, sequence }, last, made));
    else if (found.rule.onDelete === 'erase')
      engine.telemetry.archived(await eraseDeleted(engine, { ...found, key, sequence }));
  }
  // What expires no more, or is gone by now, has nothing left to store: its end was seen to above.
  const newest = ordered.at(-1);
  if (newest?.after === undefined || attribute(newest.after, engine.registry.table.ttl) === undefined) return;
  const found = archivedAs(engine.registry, newest.after);
  if (found?.rule.layout !== 'object') return;
  engine.telemetry.archived(await archiveCurrent(engine, { ...found, ...newest }, newest.after));
}
