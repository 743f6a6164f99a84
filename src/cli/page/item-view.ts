import type { ArchivedView, ItemView } from '../../develop/page/protocol/item.ts';
import { itemToJson } from '../../model/dynamodb-json.ts';
import type { ItemKey } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import { listItems } from '../../operate/archive/read-states.ts';
import type { ArchiveReader } from '../../worker/archive/ports.ts';
import type { Settings, TablePort } from '../../worker/ports.ts';
import { stateId } from '../archive/selection.ts';
import { explainItem } from '../explain/explain.ts';

export interface ItemSource {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly settings: Settings;
  /** Undefined if nothing is archived. */
  readonly archive: ArchiveReader | undefined;
}

/** Deliveries of a propagation that are followed: a page is no place for more. */
const maxDeliveries = 4;

export async function itemView({ archive, ...source }: ItemSource, key: ItemKey): Promise<ItemView> {
  const [item, explanation, archived] = await Promise.all([
    source.table.get(key),
    explainItem({ ...source, maxDeliveries }, key),
    archive === undefined ? [] : archivedStates(source.registry, archive, key),
  ]);
  return { key, item: item && itemToJson(item), explanation, archived };
}

async function archivedStates(
  { archives, table }: Registry,
  reader: ArchiveReader,
  key: ItemKey,
): Promise<readonly ArchivedView[]> {
  const kinds = archives.flatMap((rule) => rule.kinds).filter((kind) => kind.idsOf(key) !== undefined);
  const views: ArchivedView[] = [];
  const filter = { kinds: [...new Set(kinds.map(({ name }) => name))], key };
  for await (const { kind, states } of listItems(reader, table, filter))
    for (const state of states.toReversed()) {
      const { archivedAt, final } = state;
      views.push({ id: stateId(state), kind, archivedAt, final });
    }
  return views;
}
