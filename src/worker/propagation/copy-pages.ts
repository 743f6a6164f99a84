import {
  type CopyLocation,
  distinctKeys,
  indexNamed,
  isListed,
  type ListedLocation,
  listedKeys,
  lists,
  type QueriedLocation,
} from '../../model/items/copy-location.ts';
import { type ItemKey, type KeyedItem, keyText } from '../../model/items/item.ts';
import type { BoundRule } from '../../model/rules/bound-rule.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { Cursor, Message } from '../../model/work/message.ts';
import type { CopiesRead } from '../../plan/plan-copy.ts';
import type { Settings, TablePort } from '../ports.ts';
import { bytesOf, keysAtOnce, type Memory, mostBytes, queryBytes } from './item-memory.ts';

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
  /** Its items are only some of a page that is too large for the memory: the message stays at that page, so it is no progress. */
  readonly isPart?: boolean | undefined;
  /** Where a message continues after this page; undefined on the last page. */
  readonly following: { readonly copies: ItemKey[] } | Place | undefined;
}

/** Where a page begins: the cursor belongs to the location at this position, and to no other. Without it, the location's first page. */
interface Place {
  readonly at: number;
  readonly cursor: Cursor | undefined;
}

/** Each page is read when the caller asks for it, so the caller can read the root after the page and before the next one. */
export function pagesOf(context: Reading, rule: BoundRule, message: Message): AsyncGenerator<CopyPage> {
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
  rule: BoundRule,
  keys: readonly ItemKey[],
): Promise<NamedCopies> {
  if (rule.creates) return readOrMissing(context, keys);
  return { ...(await readKeys(context, keys)), missing: [] };
}

/** Keys that were read and have no item are `missing`. */
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
  const onUnread = memory && ((rest: readonly ItemKey[]) => void unread.push(...rest));
  return { copies: some.length === 0 ? [] : await table.getMany(some, { onUnread }), unread };
}

/**
 * Yields a page, and holds room for it until the caller asks for the next one.
 * @returns the page; undefined if the invocation is about to end, and it was not read
 */
async function* whenThereIsRoom<Page extends CopyPage>(
  { memory, outOfTime }: Pick<Reading, 'memory' | 'outOfTime'>,
  bytes: number,
  read: () => Promise<Page>,
): AsyncGenerator<Page, Page | undefined> {
  const hold = await memory?.hold(bytes);
  try {
    if (hold?.waited && outOfTime?.() === true) return undefined;
    const page = await read();
    // Copies of which a condition fails are read again, beside the first reading; a recheck reads them beside their entries.
    if (hold !== undefined && !page.stale) hold.keep(2 * bytesOf(page.copies) + mostBytes(0));
    yield page;
    return page;
  } finally {
    hold?.release();
  }
}

async function* namedCopies(
  context: Reading,
  rule: BoundRule,
  keys: readonly ItemKey[],
): AsyncGenerator<CopyPage> {
  const { pageLimit } = context.settings;
  let rest = keys;
  // A list without keys gives an empty page: the root may still say where its copies should be.
  do {
    const some = rest.slice(0, pageLimit);
    const others = rest.slice(pageLimit);
    const page = yield* whenThereIsRoom(context, mostBytes(some.length), async () => {
      const { unread, ...read } = await readNamed(context, rule, some);
      const copies = [...unread, ...others];
      const following = copies.length === 0 ? undefined : { copies };
      return { ...read, size: some.length - unread.length, following };
    });
    rest = page?.following?.copies ?? [];
  } while (rest.length > 0);
}

interface Locations<Location> extends Pick<Message, 'at' | 'cursor' | 'recheck'> {
  readonly locations?: readonly Location[] | undefined;
}

type LocatedPage<Location> = CopyPage & {
  readonly location: Location;
  readonly following: Place | undefined;
};

/** One location after another, from the place on that the message names. */
export async function* copiesInLocations<Location extends CopyLocation>(
  context: Reading,
  { locations = [], at = 0, cursor = {}, recheck = false }: Locations<Location>,
): AsyncGenerator<LocatedPage<Location>> {
  let place: Place | undefined = { at, cursor: Object.keys(cursor).length === 0 ? undefined : cursor };
  while (place !== undefined) place = yield* pageAt(context, locations, place, recheck);
}

/**
 * Yields one page, in parts if its items are too large.
 * @returns the place of the next page; undefined if none is to be read
 */
async function* pageAt<Location extends CopyLocation>(
  context: Reading,
  locations: readonly Location[],
  place: Place,
  recheck: boolean,
): AsyncGenerator<LocatedPage<Location>, Place | undefined> {
  const { registry, table, settings } = context;
  const { at, cursor } = place;
  const location = locations[at];
  if (location === undefined) return undefined;
  /** The cursor of a location is not carried to the next one. */
  const placeAfter = (next: Cursor | undefined): Place | undefined => {
    if (next !== undefined) return { at, cursor: next };
    return at + 1 < locations.length ? { at: at + 1, cursor: undefined } : undefined;
  };
  if (location.in === 'partition') {
    const page = yield* whenThereIsRoom(context, queryBytes + mostBytes(0), async () => {
      const { entries, next } = await table.query(location, settings.pageLimit, cursor);
      return { copies: entries, missing: [], size: entries.length, location, following: placeAfter(next) };
    });
    return page?.following;
  }
  if (
    location.in === 'index' &&
    recheck &&
    indexNamed(registry.table, location.index)?.projection === 'ALL'
  ) {
    const { entries, next } = await table.query(location, settings.pageLimit, cursor, true);
    const found = { copies: entries, missing: [], stale: true, size: entries.length, location };
    const page = yield* whenThereIsRoom(context, queryBytes + mostBytes(entries.length), async () => ({
      ...found,
      following: placeAfter(next),
    }));
    return page?.following;
  }
  const { keys, next } = isListed(location)
    ? { keys: listedKeys(location), next: undefined }
    : await keysOfEntries(context, location, cursor);
  for (let pending = keys; ; ) {
    const page = yield* whenThereIsRoom(context, mostBytes(pending.length), async () => {
      const { copies, unread } = await readKeys(context, pending);
      const isPart = unread.length > 0;
      // What comes after a part is its page again, from its own cursor: the part is right by then.
      const following = isPart ? place : placeAfter(next);
      const size = pending.length - unread.length;
      return { copies, missing: [], size, location, isPart, following, unread };
    });
    if (page === undefined || !page.isPart) return page?.following;
    pending = page.unread;
  }
}

async function keysOfEntries(
  { table, settings }: Reading,
  location: QueriedLocation,
  cursor: Cursor | undefined,
): Promise<{ readonly keys: readonly ItemKey[]; readonly next: Cursor | undefined }> {
  const { entries, next } = await table.query(location, settings.pageLimit, cursor);
  return { keys: entries.map(({ key }) => key), next };
}
