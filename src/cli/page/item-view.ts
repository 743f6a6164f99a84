import type { ArchivedView, ItemView } from '../../develop/page/protocol/item.ts';
import type { Attributes } from '../../develop/page/protocol/project.ts';
import { itemToJson } from '../../model/dynamodb-json.ts';
import { DenormError } from '../../model/errors.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import { listItems, readState } from '../../operate/archive/read-states.ts';
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

/** Deliveries of a propagation that are followed, and archived states that are read: a page is no place for more. */
const limits = { deliveries: 4, contents: 10 };

/** An item as it is now, what `denorm explain` says of it, and its archived states. */
export async function itemView({ archive, ...source }: ItemSource, key: ItemKey): Promise<ItemView> {
  const { registry, table } = source;
  const [item, explanation, archived] = await Promise.all([
    table.get(key),
    explainItem({ ...source, maxDeliveries: limits.deliveries }, key),
    archive === undefined ? [] : archivedStates(registry, archive, key),
  ]);
  return { key, item: item && attributesOf(item), explanation, archived };
}

async function archivedStates(
  { archives, table }: Registry,
  reader: ArchiveReader,
  key: ItemKey,
): Promise<readonly ArchivedView[]> {
  const kinds = archives.flatMap((rule) => rule.kinds).filter((kind) => kind.idsOf(key) !== undefined);
  const views: ArchivedView[] = [];
  const filter = { kinds: [...new Set(kinds.map((kind) => kind.name))], key };
  for await (const { kind, states } of listItems(reader, table, filter))
    for (const [at, state] of states.toReversed().entries()) {
      const { archivedAt, final } = state;
      const read =
        at < limits.contents
          ? await readState(reader, state).then(readable, unreadable)
          : { item: undefined, unread: `only the newest ${limits.contents} are read` };
      views.push({ ...{ id: stateId(state), kind, archivedAt, final }, ...read });
    }
  return views;
}

function readable(item: Item): Pick<ArchivedView, 'item' | 'unread'> {
  return { item: attributesOf(item), unread: undefined };
}

/** A state in Glacier, or one that was erased meanwhile, is listed without its content. */
function unreadable(error: unknown): Pick<ArchivedView, 'item' | 'unread'> {
  if (!(error instanceof DenormError)) throw error;
  return { item: undefined, unread: error.message };
}

export function attributesOf(item: Item): Attributes {
  return Object.fromEntries(Object.entries(itemToJson(item)));
}
