import { type CopyLocation, locationKey } from '../model/copy-location.ts';
import type { Item, ItemKey } from '../model/item.ts';
import type { Cursor, Message } from '../model/message.ts';
import type { Rule } from '../model/rule.ts';
import type { PropagationContext } from './context.ts';

/** What pages are read with. */
type Reading = Pick<PropagationContext, 'table' | 'settings'>;

/** Copies that were read together, and where the next page begins. */
export interface CopyPage {
  /** The copies as the table holds them, strongly consistent; other items that stand in the same place among them. */
  readonly copies: readonly Item[];
  /** How many entries were looked at, those without an item included. */
  readonly size: number;
  /** What a message needs to go on after this page; undefined where this is the last. */
  readonly following: Following | undefined;
}

export type Following =
  | { readonly copies: ItemKey[] }
  | { readonly locations: CopyLocation[]; readonly cursor: Cursor };

/** A cursor that begins a place: a message that has one, even this, is not the first of its fan-out. */
const atTheStart: Cursor = {};

/**
 * The pages of copies that a message is about: the named copies, or those that stand in its places, one place after
 * another. A page is read when it is asked for, so that the root is read after it and before the next.
 */
export function pagesOf(context: Reading, rule: Rule, message: Message): AsyncGenerator<CopyPage> {
  if (message.copies !== undefined) return namedCopies(context, message.copies);
  const locations = message.locations ?? [];
  if (rule.located.in === 'key' || rule.located.in === 'itself')
    return namedCopies(
      context,
      locations.flatMap((location) => (location.in === 'key' ? [locationKey(location)] : [])),
    );
  return copiesInPlaces(context, locations, message.cursor ?? atTheStart);
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

async function* copiesInPlaces(
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
