import { DenormError } from '../../model/basics/errors.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import { expiryOf } from '../../model/items/expiry.ts';
import type { ItemKey } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { type ArchivedItem, listItems, readState } from '../../operate/archive/read-states.ts';
import { restoredAt, restoredKeyOf } from '../../worker/archive/object.ts';
import type { ArchiveNotes, ArchiveReader } from '../../worker/archive/ports.ts';
import type { ArchivedView } from '../protocol/views.ts';

export interface ArchiveSource {
  readonly reader: ArchiveReader;
  readonly notes: Pick<ArchiveNotes, 'read'>;
}

/** States whose content is sent: others are only counted. */
const maxStates = 5;

/** What the archive has of an item, the newest state first. Undefined if no rule archives items with such a key. */
export async function archivedView(
  { archives, table }: Registry,
  { reader, notes }: ArchiveSource,
  key: ItemKey,
): Promise<ArchivedView | undefined> {
  const kinds = archives.flatMap((rule) => rule.kinds).filter((kind) => kind.idsOf(key) !== undefined);
  if (kinds.length === 0) return undefined;
  const names = [...new Set(kinds.map(({ name }) => name))];
  const items: ArchivedItem[] = [];
  for await (const item of listItems(reader, table, { kinds: names, key })) items.push(item);
  const states = items
    .flatMap((item) => item.states.toReversed())
    .toSorted((a, b) => b.archivedAt - a.archivedAt);
  const marks = await Promise.all(names.map((name) => notes.read(restoredKeyOf(name, key))));
  return {
    states: await Promise.all(
      states.slice(0, maxStates).map(async ({ archivedAt, final, ...state }) => {
        const read = await readState(reader, state).catch((error: unknown) => {
          if (error instanceof DenormError) return error;
          throw error;
        });
        if (read instanceof DenormError)
          return { at: archivedAt, final, problem: `${read.code}: ${read.message}` };
        const expiry = expiryOf(table, read);
        return {
          ...{ at: archivedAt, final, item: itemToJson(read) },
          ...(expiry !== undefined && { expiresAt: expiry * 1_000 }),
        };
      }),
    ),
    count: states.length,
    restored: marks.flatMap((mark) => (mark === undefined ? [] : restoredAt(mark, 0) || [])),
  };
}
