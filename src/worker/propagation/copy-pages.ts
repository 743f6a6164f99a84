import {
  type CopyLocation,
  distinctKeys,
  indexNamed,
  isListed,
  type ListedLocation,
  listedKeys,
  lists,
} from '../../model/copy-location.ts';
import { type ItemKey, type KeyedItem, keyText } from '../../model/item.ts';
import type { Cursor, Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { Settings, TablePort } from '../ports.ts';
import { bytesOf, keysAtOnce, type Memory, mostBytes, queryBytes } from './item-memory.ts';
import type { CopiesRead } from './plan/plan-copy.ts';

export type QueriedTable = Pick<TablePort, 'query' | 'getMany'>;

export interface Reading {
  readonly table: QueriedTable;
  readonly registry: Pick<Registry, 'table'>;
  readonly settings: Pick<Settings, 'pageLimit'>;
  readonly memory?: Memory | undefined;
  readonly outOfTime?: () => boolean;
}

/** Strongly consistent unless it is `stale`. A location may also contain items that are not copies. */
export interface CopyPage extends CopiesRead {
  /** Entries of an index, each what its item was at some earlier time. Only a recheck gets them. */
  readonly stale?: boolean | undefined;
  /** Keys or items, including keys whose item is gone. */
  readonly size: number;
  /** It is the first items of a page, and the message continues at the same place: no progress of the message. */
  readonly isPart?: boolean | undefined;
  /** Where a message continues after this page; undefined on the last page. */
  readonly following: Following | undefined;
}

export type Following =
  | { readonly copies: ItemKey[] }
  | { readonly at: number; readonly cursor: Cursor | undefined };

/** Each page is read when the caller asks for it, so the caller can read the root after the page and before the next one. */
export function pagesOf(context: Reading, rule: Rule, message: Message): AsyncGenerator<CopyPage> {
  if (message.copies !== undefined) return namedCopies(context, rule, message.copies);
  // An older deployment may have sent the message: its locations say where its copies are, whatever the rule says now.
  const { locations = [], cause } = message;
  if (locations.every(isListed)) return namedCopies(context, rule, keysInOrder(locations));
  // A late write to a copy that no root places is not corrected by its check: what its entry says is not enough.
  const recheck = message.recheck === true && cause === 'changed' && locations.length === 1;
  return copiesInLocations(context, { ...message, recheck });
}

/** As locations are: first those that the root has left, which are removed whatever may be wrong with the root. */
function keysInOrder(locations: readonly ListedLocation[]): readonly ItemKey[] {
  const keys = distinctKeys(locations.flatMap(listedKeys));
  const last = locations.at(-1);
  const isPlaced = (key: ItemKey) => last !== undefined && lists(last, key);
  return [...keys.filter((key) => !isPlaced(key)), ...keys.filter(isPlaced)];
}

export interface NamedCopies extends CopiesRead {
  /** Not read, because the others take the memory. They come after them. */
  readonly unread: readonly ItemKey[];
}

/** Keys without an item are of interest only to a rule that creates copies. */
export async function readNamed(
  context: Reading,
  rule: Rule,
  keys: readonly ItemKey[],
): Promise<NamedCopies> {
  if (rule.creates) return readOrMissing(context, keys);
  return { ...(await readKeys(context, keys)), missing: [] };
}

/** With the keys that were read and have no item. */
export async function readOrMissing(
  context: Pick<Reading, 'table' | 'memory'>,
  keys: readonly ItemKey[],
): Promise<NamedCopies> {
  const { copies, unread } = await readKeys(context, keys);
  const known = new Set([...copies.map(({ key }) => key), ...unread].map(keyText));
  return { copies, missing: keys.filter((key) => !known.has(keyText(key))), unread };
}

export async function readKeys(
  { table, memory }: { readonly table: Pick<TablePort, 'getMany'>; readonly memory?: Memory | undefined },
  keys: readonly ItemKey[],
): Promise<{ readonly copies: readonly KeyedItem[]; readonly unread: readonly ItemKey[] }> {
  const most = memory === undefined ? keys.length : keysAtOnce;
  const unread = keys.slice(most);
  const some = keys.slice(0, most);
  const onUnread = memory && ((left: readonly ItemKey[]) => void unread.push(...left));
  return { copies: some.length === 0 ? [] : await table.getMany(some, { onUnread }), unread };
}

/** Holds room until the caller asks for the next page. @returns `late`, without a page, if the invocation is about to end */
async function* whenThereIsRoom<Page extends CopyPage>(
  { memory, outOfTime }: Pick<Reading, 'memory' | 'outOfTime'>,
  bytes: number,
  read: () => Promise<Page>,
): AsyncGenerator<Page, 'late' | undefined> {
  if (memory === undefined) {
    yield await read();
    return undefined;
  }
  const hold = await memory.hold(bytes);
  try {
    if (hold.waited && outOfTime?.() === true) return 'late';
    const page = await read();
    // Copies of which a condition fails are read again, beside the first reading; a recheck reads them beside their entries.
    if (!page.stale) hold.keep(2 * bytesOf(page.copies) + mostBytes(0));
    yield page;
    return undefined;
  } finally {
    hold.release();
  }
}

async function* namedCopies(
  context: Reading,
  rule: Rule,
  keys: readonly ItemKey[],
): AsyncGenerator<CopyPage> {
  const { pageLimit } = context.settings;
  let rest = [...keys];
  // A list without keys gives an empty page: the root may still say where its copies should be.
  do {
    const page = rest.slice(0, pageLimit);
    const end = yield* whenThereIsRoom(context, mostBytes(page.length), async () => {
      const { unread, ...read } = await readNamed(context, rule, page);
      rest = [...unread, ...rest.slice(pageLimit)];
      const following = rest.length === 0 ? undefined : { copies: rest };
      return { ...read, size: page.length - unread.length, following };
    });
    if (end === 'late') return;
  } while (rest.length > 0);
}

type Positions<Location> = Pick<Message, 'at' | 'cursor' | 'recheck'> & {
  readonly locations?: readonly Location[] | undefined;
};

/** One location after another, from the place on that the other fields name. */
export async function* copiesInLocations<Location extends CopyLocation>(
  context: Reading,
  { locations = [], at = 0, cursor, recheck = false }: Positions<Location>,
): AsyncGenerator<CopyPage & { readonly location: Location }> {
  const start = Object.keys(cursor ?? {}).length === 0 ? undefined : cursor;
  for (const [index, location] of locations.entries()) {
    if (index < at) continue;
    let from = index === at ? start : undefined;
    do {
      const begin = from;
      let part: PageToRead | undefined = await queryPage(context, location, from, recheck);
      while (part !== undefined) {
        const { bytes, read } = part;
        const end: 'late' | undefined = yield* whenThereIsRoom(context, bytes, async () => {
          const { copies, stale, size, left, next } = await read();
          part = left;
          from = next;
          const isLast = left === undefined && next === undefined && index === locations.length - 1;
          const following = isLast ? undefined : { at: next === undefined ? index + 1 : index, cursor: next };
          // What comes after a part is its page again: the part is right by then.
          return {
            ...{ copies, missing: [], stale, size, location },
            ...(left === undefined
              ? { following }
              : { isPart: true, following: { at: index, cursor: begin } }),
          };
        });
        if (end === 'late') return;
      }
    } while (from !== undefined);
  }
}

interface LocationPage {
  readonly copies: readonly KeyedItem[];
  readonly stale?: boolean;
  readonly size: number;
  readonly next: Cursor | undefined;
  /** Items that are too large to be read with the others. */
  readonly left?: PageToRead | undefined;
}

interface PageToRead {
  /** At most. */
  readonly bytes: number;
  readonly read: () => Promise<LocationPage>;
}

async function queryPage(
  context: Reading,
  location: CopyLocation,
  from: Cursor | undefined,
  recheck: boolean,
): Promise<PageToRead> {
  const { registry, table, settings } = context;
  const { pageLimit } = settings;
  const ofKeys = (keys: readonly ItemKey[], next: Cursor | undefined): PageToRead => ({
    bytes: mostBytes(keys.length),
    read: async () => {
      const { copies, unread } = await readKeys(context, keys);
      const left = unread.length === 0 ? undefined : ofKeys(unread, next);
      return { copies, size: keys.length - unread.length, next, left };
    },
  });
  if (isListed(location)) return ofKeys(listedKeys(location), undefined);
  if (location.in === 'partition')
    return {
      bytes: queryBytes + mostBytes(0),
      read: async () => {
        const { entries, next } = await table.query(location, pageLimit, from);
        return { copies: entries, size: entries.length, next };
      },
    };
  if (recheck && indexNamed(registry.table, location.index)?.projection === 'ALL') {
    const { entries, next } = await table.query(location, pageLimit, from, true);
    const read = async () => ({ copies: entries, stale: true, size: entries.length, next });
    return { bytes: queryBytes + mostBytes(entries.length), read };
  }
  const { entries, next } = await table.query(location, pageLimit, from);
  const keys = entries.map(({ key }) => key);
  return ofKeys(keys, next);
}
