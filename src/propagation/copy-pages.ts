import { type CopyLocation, locationKey } from '../model/copy-location.ts';
import type { Item, ItemKey } from '../model/item.ts';
import type { Cursor, Message } from '../model/message.ts';
import type { Rule } from '../model/rule.ts';
import type { PropagationContext } from './context.ts';

type Reading = Pick<PropagationContext, 'table' | 'settings'>;

/** Copies that were read together, and where the next page begins. */
export interface CopyPage {
  /** Read strongly consistent. A location may also contain items that are not copies. */
  readonly copies: readonly Item[];
  /** How many keys or items the page lists, including keys whose item is gone. */
  readonly size: number;
  /** The fields of a message that continues after this page; undefined on the last page. */
  readonly following: Following | undefined;
}

export type Following =
  | { readonly copies: ItemKey[] }
  | { readonly locations: CopyLocation[]; readonly cursor: Cursor };

/** The start of a location. A message with a cursor, even this one, is not the first of its fan-out. */
const atTheStart: Cursor = {};

/**
 * The pages of a message's copies: the copies that it names, or those in its locations, one location after another. Each
 * page is read when the caller asks for it, so the caller can read the root after the page and before the next one.
 */
export function pagesOf(context: Reading, rule: Rule, message: Message): AsyncGenerator<CopyPage> {
  if (message.copies !== undefined) return namedCopies(context, message.copies);
  const locations = message.locations ?? [];
  if (rule.located.in === 'key' || rule.located.in === 'itself')
    return namedCopies(
      context,
      locations.flatMap((location) => (location.in === 'key' ? [locationKey(location)] : [])),
    );
  return copiesInLocations(context, locations, message.cursor ?? atTheStart);
}

async function* namedCopies(context: Reading, keys: readonly ItemKey[]): AsyncGenerator<CopyPage> {
  const { pageLimit } = context.settings;
  for (let start = 0; start < keys.length; start += pageLimit) {
    const page = keys.slice(start, start + pageLimit);
    const rest = keys.slice(start + pageLimit);
    yield {
      copies: await context.table.getMany(page),
      size: page.length,
      following: rest.length === 0 ? undefined : { copies: rest },
    };
  }
}

async function* copiesInLocations(
  context: Reading,
  locations: readonly CopyLocation[],
  start: Cursor,
): AsyncGenerator<CopyPage> {
  let from = Object.keys(start).length === 0 ? undefined : start;
  for (const [index, location] of locations.entries()) {
    const others = locations.slice(index + 1);
    do {
      const { copies, size, next } = await readPage(context, location, from);
      from = next;
      const following =
        next !== undefined
          ? { locations: [location, ...others], cursor: next }
          : others.length > 0
            ? { locations: others, cursor: atTheStart }
            : undefined;
      yield { copies, size, following };
    } while (from !== undefined);
  }
}

async function readPage(context: Reading, location: CopyLocation, from: Cursor | undefined) {
  const { table, settings } = context;
  if (location.in === 'key')
    return { copies: await table.getMany([locationKey(location)]), size: 1, next: undefined };
  if (location.in === 'partition') {
    const { entries, next } = await table.queryPartition(location, settings.pageLimit, from);
    return { copies: entries, size: entries.length, next };
  }
  const { entries, next } = await table.queryIndex(location, settings.pageLimit, from);
  return { copies: entries.length === 0 ? [] : await table.getMany(entries), size: entries.length, next };
}
