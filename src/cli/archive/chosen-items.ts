import type { ArchiveReader } from '../../archive/ports.ts';
import { type ArchivedItem, listItems, statesOf } from '../../archive/read-states.ts';
import { table } from '../../table.ts';
import type { Selection } from './selection.ts';

/** The items that a selection chooses, each with those of its states that it wants, the newest last. */
export async function* chosenItems(
  reader: ArchiveReader,
  { key, kinds, pkBegins, skBegins, from, until }: Selection,
): AsyncGenerator<ArchivedItem> {
  if (key === undefined) {
    yield* listItems(reader, table, { kinds, pkBegins, skBegins, from, until });
    return;
  }
  for (const kind of kinds ?? []) {
    const states = (await statesOf(reader, kind, key)).filter(
      ({ archivedAt }) => archivedAt >= (from ?? 0) && archivedAt < (until ?? Number.POSITIVE_INFINITY),
    );
    if (states.length > 0) yield { kind, key, states };
  }
}
