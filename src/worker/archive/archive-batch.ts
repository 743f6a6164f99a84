import type { ArchiveRule } from '../../model/archive-rule.ts';
import { type Change, inSequence, type Unreadable } from '../../model/change.ts';
import { DenormError } from '../../model/errors.ts';
import { attribute, type Item, withKey } from '../../model/item.ts';
import type { AnyKind } from '../../model/kind.ts';
import { archivedAs, type Registry } from '../../model/registry.ts';
import { BatchWork } from '../batch/batch-work.ts';
import { type Group, groupByItem, type StreamRecord, unreadableAsDeadLetter } from '../batch/group.ts';
import { admissionOf } from './admission.ts';
import { type ArchiveContext, archiveCurrent, archiveLast, eraseDeleted } from './archive-item.ts';
import { archiveLines, type StateOfItem } from './archive-lines.ts';

/**
 * Archives the items of a batch of stream records: those that will expire, and those that have expired. A record that
 * fails is never put on the fan-out queue, which carries keys only: its image may be the only one left. Lambda
 * delivers it again, or keeps it whole in the on-failure destination.
 * @returns the records to deliver again, each with its error
 * @throws FatalError if no record could be processed
 */
export async function archiveBatch(
  context: ArchiveContext,
  records: readonly StreamRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const work = new BatchWork(context.concurrency, context.telemetry);
  const { groups, unreadable } = groupByItem(records);
  await Promise.all([
    ...unreadable.map(({ id, says }) => work.run([id], () => deadLetterUnreadable(context, says))),
    ...groups.map(({ ids, changes }) => work.run(ids, () => archiveItem(context, changes))),
    ...groups.map((group) => work.run(group.ids, () => deadLetterFault(context, group))),
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
 * The dead letter has no content, which the item's next record brings. A removal has no next record, and its image may be the
 * last there is: it fails, and its shard waits, until Lambda puts it whole into the on-failure destination.
 * @throws DenormError `record.unreadable` for a removal
 */
async function deadLetterUnreadable({ queue, telemetry }: ArchiveContext, says: Unreadable) {
  const deadLetter = unreadableAsDeadLetter(says);
  if (says.lastImage) throw new DenormError(deadLetter.code, `${deadLetter.reason} (${says.record})`);
  await queue.deadLetter([deadLetter]);
  telemetry.deadLettered(deadLetter);
}

/** A state on which `when` fails is stored all the same. A failed record would come again and hold up its shard. */
async function deadLetterFault({ registry, queue, telemetry }: ArchiveContext, { ids, changes }: Group) {
  for (const { image } of keptImages(registry, changes).toReversed()) {
    const found = archivedAs(registry, image);
    const fault = found && admissionOf(registry.table, found.rule, found.kind, image).fault;
    if (fault === undefined) continue;
    const record = ids.at(-1);
    const { code, message: reason } = withKey(registry.table, fault);
    const deadLetter = { code, reason, ...(record !== undefined && { record }) };
    await queue.deadLetter([deadLetter]);
    telemetry.deadLettered(deadLetter);
    return;
  }
}

/**
 * Archives an item that has an object of its own. Each final state is kept or erased as the rule says, in stream
 * order. The newest state is stored if the item has an expiry, however many changes led to it. `when` decides what is stored,
 * not what is erased: an item that it excludes may have states from before.
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
    if (change.expired || found.rule.onDelete === 'archive') {
      if (!stores(context.registry, found, last)) continue;
      context.telemetry.archived(await archiveLast(context, { ...found, key, sequence }, last, made));
    } else if (found.rule.onDelete === 'erase')
      context.telemetry.archived(await eraseDeleted(context, { ...found, key, sequence }));
  }
  // An item without an expiry, or one that is gone, has no current state to store. The loop above has handled its
  // end.
  const newest = ordered.at(-1);
  if (newest?.after === undefined || attribute(newest.after, context.registry.table.ttl) === undefined)
    return;
  const found = archivedAs(context.registry, newest.after);
  if (found?.rule.layout !== 'object' || !stores(context.registry, found, newest.after)) return;
  context.telemetry.archived(await archiveCurrent(context, { ...found, ...newest }, newest.after));
}

type Found = NonNullable<ReturnType<typeof archivedAs>>;

function stores({ table }: Registry, { rule, kind }: Found, state: Item): boolean {
  return admissionOf(table, rule, kind, state).stores;
}

/** States of one kind that are stored as one object, and the records that report them. */
export interface LinesOfKind {
  readonly rule: ArchiveRule;
  readonly kind: AnyKind;
  readonly ids: readonly string[];
  readonly states: readonly StateOfItem[];
}

/** Collects the states to store under rules with the layout `batch`: one object for each kind. */
export function linesByKind(registry: Registry, groups: readonly Group[]): readonly LinesOfKind[] {
  const byKind = new Map<
    string,
    { rule: ArchiveRule; kind: AnyKind; ids: Set<string>; states: StateOfItem[] }
  >();
  for (const { ids, changes } of groups)
    for (const { change, final, image } of keptImages(registry, changes)) {
      const found = archivedAs(registry, image);
      if (found?.rule.layout !== 'batch' || !stores(registry, found, image)) continue;
      const lines = byKind.get(found.kind.name) ?? { ...found, ids: new Set(), states: [] };
      byKind.set(found.kind.name, lines);
      for (const id of ids) lines.ids.add(id);
      lines.states.push({ key: change.key, item: image, sequence: change.sequence, final, at: change.at });
    }
  return [...byKind.values()].map((lines) => ({ ...lines, ids: [...lines.ids] }));
}

interface KeptImage {
  readonly change: Change;
  readonly final: boolean;
  readonly image: Item;
}

/**
 * The final state of each life that ended, and the newest state if it has an expiry. States between them no longer
 * exist.
 */
function keptImages(registry: Registry, changes: readonly Change[]): readonly KeptImage[] {
  const ordered = inSequence(changes);
  const kept = ordered.flatMap((change): KeptImage[] => {
    const last = change.after === undefined ? change.before : undefined;
    if (last === undefined) return [];
    const isKept = change.expired || archivedAs(registry, last)?.rule.onDelete === 'archive';
    return isKept ? [{ change, final: true, image: last }] : [];
  });
  const newest = ordered.at(-1);
  if (newest?.after === undefined || attribute(newest.after, registry.table.ttl) === undefined) return kept;
  return [...kept, { change: newest, final: false, image: newest.after }];
}
