import { type CopyLocation, indexNamed, isInLocation, locationText } from '../../../model/copy-location.ts';
import { attribute, type Item, type ItemKey, keyIn, keyText, text } from '../../../model/item.ts';
import { byBytes } from '../../../model/key-order.ts';
import type { Cursor } from '../../../model/message.ts';
import type { TableNames } from '../../../model/table-names.ts';
import type { Page, TablePort } from '../../../worker/ports.ts';

/** The items of a location, and the position of each. */
interface Sorted {
  readonly items: readonly Item[];
  readonly at: ReadonlyMap<string, number>;
}

/** A read-only table of the given items. If two have the same key, the last one counts. */
export function imagesTable(table: TableNames, items: readonly Item[]): TablePort {
  const byKey = new Map(items.map((item) => [textOf(table, item), item]));

  const sorted = new Map<string, Sorted>();

  /** The items of a location, in order. Computed once, because nothing changes. */
  function standingIn(location: CopyLocation, sortedBy: string): Sorted {
    const known = sorted.get(locationText(location));
    if (known !== undefined) return known;
    const items = [...byKey.values()]
      .filter((item) => isInLocation(table, item, location))
      .sort((a, b) => byBytes(sortText(a, sortedBy), sortText(b, sortedBy)) || byKeys(a, b));
    const found = { items, at: new Map(items.map((item, index) => [textOf(table, item), index])) };
    sorted.set(locationText(location), found);
    return found;
  }

  function page(location: CopyLocation, sortedBy: string, limit: number, from?: Cursor): Page<Item> {
    const { items: there, at } = standingIn(location, sortedBy);
    const start = from === undefined ? 0 : (at.get(textOfCursor(table, from)) ?? -1) + 1;
    const entries = there.slice(start, start + limit);
    const last = entries.length === limit ? entries.at(-1) : undefined;
    return { entries, next: last && cursorAfter(table, last) };
  }

  function byKeys(a: Item, b: Item): number {
    return byBytes(textOf(table, a), textOf(table, b));
  }

  async function readAll(keys: readonly ItemKey[]): Promise<Item[]> {
    return keys.map((key) => byKey.get(keyText(key))).filter((item) => item !== undefined);
  }

  return {
    get: async (key) => byKey.get(keyText(key)),
    getMany: readAll,
    async query(location, limit, from, whole = false) {
      if (location.in === 'partition') return page(location, table.sk, limit, from);
      const sortedBy = indexNamed(table, location.index)?.sk ?? table.sk;
      const { entries, next } = page(location, sortedBy, limit, from);
      return { entries: whole ? entries : entries.map((item) => keyOnly(table, item)), next };
    },
    update: async (updates) => updates.map(() => 'refused'),
    transact: async (_, actions) => actions.map(() => 'refused'),
  };
}

function textOf(table: TableNames, item: Item): string {
  return keyText(keyIn(table, item));
}

/** The attributes of the item's key: in memory, they are enough for a position. */
function keyOnly(table: TableNames, item: Item): Item {
  const { pk, sk } = keyIn(table, item);
  return { [table.pk]: { S: pk }, [table.sk]: { S: sk } };
}

function cursorAfter(table: TableNames, item: Item): Cursor {
  const { pk, sk } = keyIn(table, item);
  return { [table.pk]: pk, [table.sk]: sk };
}

function textOfCursor(table: TableNames, cursor: Cursor): string {
  return keyText({ pk: cursor[table.pk] ?? '', sk: cursor[table.sk] ?? '' });
}

function sortText(item: Item, name: string): string {
  return text(attribute(item, name)) ?? '';
}
