import { DenormError } from '../../model/basics/errors.ts';
import { changedNames } from '../../model/items/change.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import { expiryOf } from '../../model/items/expiry.ts';
import { byKey, type ItemKey, keyText } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { type ArchivedItem, listItems, readState } from '../../operate/archive/read-states.ts';
import { restoredAt, restoredKeyOf } from '../../worker/archive/object.ts';
import type { ArchiveNotes, ArchiveReader } from '../../worker/archive/ports.ts';
import type { TableReads } from '../../worker/ports.ts';
import type { ArchivedView, GoneView } from '../protocol/views.ts';

export interface ArchiveSource {
  readonly reader: ArchiveReader;
  readonly notes: Pick<ArchiveNotes, 'read'>;
}

/** Archived items that are looked at for those that are gone, and those that are listed. */
const most = { read: 500, listed: 50 };

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
  const read = await Promise.all(
    states.slice(0, maxStates).map((state) =>
      readState(reader, state).catch((error: unknown) => {
        if (error instanceof DenormError) return error;
        throw error;
      }),
    ),
  );
  return {
    states: read.map((item, at) => {
      const { archivedAt, final } = states[at] ?? { archivedAt: 0, final: false };
      const told = { at: archivedAt, final };
      if (item instanceof DenormError) return { ...told, problem: `${item.code}: ${item.message}` };
      const expiry = expiryOf(table, item);
      const before = read[at + 1];
      return {
        ...told,
        item: itemToJson(item),
        ...(expiry !== undefined && { expiresAt: expiry * 1_000 }),
        ...(before !== undefined &&
          !(before instanceof DenormError) && { differs: changedNames({ before, after: item }) }),
      };
    }),
    count: states.length,
    restored: marks.flatMap((mark) => (mark === undefined ? [] : restoredAt(mark, 0) || [])),
  };
}

/** Archived items that the table no longer has, of a kind or of a partition: nothing else leads to them. Undefined for other lists. */
export async function goneItems(
  { archives, table: names }: Registry,
  table: Pick<TableReads, 'getMany'>,
  reader: ArchiveReader,
  asked: URLSearchParams,
): Promise<GoneView | undefined> {
  const [kind, pk, begins = ''] = ['kind', 'pk', 'sk'].map((name) => asked.get(name) ?? undefined);
  const archived = archives.flatMap((rule) => rule.kinds.map(({ name }) => name));
  const kinds = archived.filter((name) => kind === undefined || name === kind);
  if (asked.has('from') || asked.has('index') || (kind ?? pk) === undefined || kinds.length === 0)
    return undefined;
  const found = new Map<string, ItemKey>();
  let read = 0;
  for await (const { key } of listItems(reader, names, { kinds, pkBegins: pk, skBegins: begins })) {
    read += 1;
    if (key !== undefined && (pk === undefined || key.pk === pk)) found.set(keyText(key), key);
    if (read === most.read) break;
  }
  const itemAt = byKey(await table.getMany([...found.values()]));
  const keys = [...found.values()].filter((key) => itemAt(key) === undefined);
  return { keys: keys.slice(0, most.listed), more: read === most.read || keys.length > most.listed };
}
