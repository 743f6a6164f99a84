import {
  type CopyLocation,
  distinctKeys,
  indexNamed,
  isListed,
  listedKeys,
  type QueriedLocation,
} from '../model/copy-location.ts';
import { byKeyText, type Item, type ItemKey, keyText } from '../model/item.ts';
import type { Cursor, Message } from '../model/message.ts';
import type { Registry } from '../model/registry.ts';
import type { Rule } from '../model/rule.ts';
import type { TablePort } from '../ports.ts';
import type { PropagationContext } from './context.ts';
import type { CopiesRead } from './plan/plan-copy.ts';

/** What a query for the items of a location needs of the table. */
export type QueriedTable = Pick<TablePort, 'queryPartition' | 'queryIndex' | 'getMany'>;

type Reading = Pick<PropagationContext, 'table' | 'settings'> & {
  readonly registry: Pick<Registry, 'table'>;
};

/**
 * Copies that were read together, strongly consistent unless `stale` says otherwise, and where the next page begins. A
 * location may also contain items that are not copies.
 */
export interface CopyPage extends CopiesRead {
  /** Whether the copies are entries of an index, each what its item was at some earlier time. Only a recheck gets them. */
  readonly stale: boolean;
  /** How many keys or items the page lists, including keys whose item is gone. */
  readonly size: number;
  /** The fields of a message that continues after this page; undefined on the last page. */
  readonly following: Following | undefined;
}

export type Following =
  | { readonly copies: ItemKey[] }
  | { readonly at: number; readonly cursor: Cursor | undefined };

/**
 * The pages of a message's copies: the copies that it names, or those in its locations, one location after another. Each
 * page is read when the caller asks for it, so the caller can read the root after the page and before the next one.
 */
export function pagesOf(context: Reading, rule: Rule, message: Message): AsyncGenerator<CopyPage> {
  if (message.copies !== undefined) return namedCopies(context, rule, message.copies);
  const locations = message.locations ?? [];
  if (rule.located.in === 'key' || rule.located.in === 'keys' || rule.located.in === 'itself')
    return namedCopies(context, rule, distinctKeys(locations.filter(isListed).flatMap(listedKeys)));
  return copiesInLocations(context, message);
}

/** Reads the copies at these keys. Keys without an item are of interest only to a rule that creates copies. */
export async function readNamed(
  { table, registry }: Reading,
  rule: Rule,
  keys: readonly ItemKey[],
): Promise<CopiesRead> {
  const copies = keys.length === 0 ? [] : await table.getMany(keys);
  if (!rule.creates) return { copies, missing: [] };
  const found = byKeyText(registry.table, copies);
  return { copies, missing: keys.filter((key) => !found.has(keyText(key))) };
}

async function* namedCopies(
  context: Reading,
  rule: Rule,
  keys: readonly ItemKey[],
): AsyncGenerator<CopyPage> {
  const { pageLimit } = context.settings;
  // A list without keys gives an empty page: the root may still say where its copies should be.
  for (let start = 0; start === 0 || start < keys.length; start += pageLimit) {
    const page = keys.slice(start, start + pageLimit);
    const rest = keys.slice(start + pageLimit);
    yield {
      ...(await readNamed(context, rule, page)),
      stale: false,
      size: page.length,
      following: rest.length === 0 ? undefined : { copies: rest },
    };
  }
}

async function* copiesInLocations(
  context: Reading,
  { locations = [], at = 0, cursor, recheck = false }: Message,
): AsyncGenerator<CopyPage> {
  const start = Object.keys(cursor ?? {}).length === 0 ? undefined : cursor;
  for (const [index, location] of locations.entries()) {
    if (index < at) continue;
    let from = index === at ? start : undefined;
    do {
      const { copies, stale = false, size, next } = await readPage(context, location, from, recheck);
      from = next;
      const isLast = next === undefined && index === locations.length - 1;
      const following = isLast ? undefined : { at: next === undefined ? index + 1 : index, cursor: next };
      yield { copies, missing: [], stale, size, following };
    } while (from !== undefined);
  }
}

interface LocationPage {
  readonly copies: readonly Item[];
  readonly stale?: boolean;
  readonly size: number;
  readonly next: Cursor | undefined;
}

async function readPage(
  context: Reading,
  location: CopyLocation,
  from: Cursor | undefined,
  recheck: boolean,
): Promise<LocationPage> {
  const { registry, table, settings } = context;
  if (isListed(location)) {
    const keys = listedKeys(location);
    const copies = keys.length === 0 ? [] : await table.getMany(keys);
    return { copies, size: keys.length, next: undefined };
  }
  if (
    recheck &&
    location.in === 'index' &&
    indexNamed(registry.table, location.index)?.projection === 'ALL'
  ) {
    const { entries, next } = await table.queryIndexEntries(location, settings.pageLimit, from);
    return { copies: entries, stale: true, size: entries.length, next };
  }
  const { items, size, next } = await readQueried(table, location, settings.pageLimit, from);
  return { copies: items, size, next };
}

/**
 * One page of a location that is queried, strongly consistent: an index supplies only keys, and the items come from the table.
 * `size` counts keys whose item is gone, too.
 */
export async function readQueried(
  table: QueriedTable,
  location: QueriedLocation,
  limit: number,
  from: Cursor | undefined,
): Promise<{ readonly items: readonly Item[]; readonly size: number; readonly next: Cursor | undefined }> {
  if (location.in === 'partition') {
    const { entries, next } = await table.queryPartition(location, limit, from);
    return { items: entries, size: entries.length, next };
  }
  const { entries, next } = await table.queryIndex(location, limit, from);
  return { items: entries.length === 0 ? [] : await table.getMany(entries), size: entries.length, next };
}
