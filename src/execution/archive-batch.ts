import type { Change } from '../domain/change.ts';
import { attribute } from '../domain/item.ts';
import type { AnyKind } from '../domain/kind.ts';
import { isOfKind } from '../domain/kind.ts';
import { type ArchiveEngine, archiveCurrent, archiveLast } from './archive.ts';
import { Attempts } from './attempts.ts';
import { groupByItem, type StreamRecord, unreadableAsParked } from './group.ts';

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
  ]);
  return attempts.outcome();
}

/** Every last state in the changes is kept, in their order; the present state is looked at once, however many changed it. */
async function archiveItem(engine: ArchiveEngine, changes: readonly Change[]): Promise<void> {
  const ordered = [...changes].sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
  for (const change of ordered) {
    const kind = kindOf(engine, change);
    if (kind === undefined || !change.expired || change.before === undefined) continue;
    engine.telemetry.archived(await archiveLast(engine, kind, change, change.before));
  }
  const expiring = ordered.find(
    ({ after }) => after !== undefined && attribute(after, engine.registry.table.ttl) !== undefined,
  );
  const kind = expiring && kindOf(engine, expiring);
  if (expiring === undefined || kind === undefined) return;
  engine.telemetry.archived(await archiveCurrent(engine, kind, expiring.key));
}

function kindOf(engine: ArchiveEngine, { before, after }: Change): AnyKind | undefined {
  const image = after ?? before;
  return image && engine.registry.archive?.kinds.find((kind) => isOfKind(engine.registry.table, kind, image));
}
