import * as z from 'zod';
import { unlessInvalid } from '../../model/basics/errors.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { valueText } from '../../model/basics/text.ts';
import {
  type CopyLocation,
  indexNamed,
  isLegalRange,
  isListed,
  listedKeys,
} from '../../model/items/copy-location.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import { rangeGiven } from '../../model/items/given-keys.ts';
import {
  attribute,
  byKey,
  type Item,
  type ItemKey,
  type KeyedItem,
  sameKey,
} from '../../model/items/item.ts';
import { isKeyName } from '../../model/items/table-names.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import { classifier } from '../../model/rules/kind-counts.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { cursorSchema } from '../../model/work/message-schemas.ts';
import { targetsOf } from '../../plan/aggregate-functions.ts';
import { isIncluded, locationsOf, rootOrFault } from '../../plan/rule-functions.ts';
import type { ScanPort, TablePort } from '../../worker/ports.ts';
import type { ItemRow, ItemsView } from '../protocol/views.ts';
import type { ItemLog, LoggedItem } from '../server/item-log.ts';
import { listedValue } from '../server/journal-entry.ts';
import { PageError } from '../server/page-source.ts';

/** Of one page: rows, columns, links of a row, and the items that are read for it at most. */
const limits = { rows: 50, columns: 5, links: 3, read: 2_000 };

/** Where a page begins: below a change of this run, or after an item of the table or of a query. */
const fromSchema = z.union([z.object({ before: z.number() }), z.object({ after: cursorSchema })]);

interface Found {
  readonly items: readonly KeyedItem[];
  readonly next: z.output<typeof fromSchema> | undefined;
  readonly read: number;
}

export interface QuerySource {
  readonly registry: Registry;
  readonly table: TablePort;
  /** Knows when items changed in this run. */
  readonly log?: ItemLog;
}

export interface ListSource extends Required<QuerySource> {
  readonly scan: ScanPort;
}

/** Of one kind, or of all without the worker's own: those that changed in this run, the newest first, then all others in the order of the table. */
export async function listView(source: ListSource, parameters: URLSearchParams): Promise<ItemsView> {
  const { registry } = source;
  const kindName = parameters.get('kind') ?? '';
  const kind = registry.kinds.find(({ name }) => name === kindName);
  if (kindName !== '' && kind === undefined)
    throw new PageError('page.request', 'Expected a kind of the project, got another name');
  const begins = parameters.get('begins') ?? '';
  const [name = '', ...value] = (parameters.get('attribute') ?? '').split('=');
  const hasKey = ({ pk, sk }: ItemKey) => [pk, sk, `${pk} / ${sk}`].some((text) => text.startsWith(begins));
  const classify = classifier(registry);
  const isWanted = ({ key, item }: KeyedItem) =>
    (kind === undefined ? classify({ key, item }) !== undefined : isOfKind(kind, item)) &&
    hasKey(key) &&
    (name === '' || hasValue(item, name.trim(), value.join('=').trim()));
  const mayBeWanted = ({ key, kinds }: LoggedItem) =>
    hasKey(key) && (kind === undefined || kinds.includes(kind.name));
  const found = await findItems(source, { isWanted, mayBeWanted }, fromIn(parameters));
  const first = [...(name === '' ? [] : [name.trim()]), ...Object.keys(kind?.attributes.shape ?? {})];
  return await viewOf(source, found, first);
}

interface Wanted {
  readonly isWanted: (item: KeyedItem) => boolean;
  /** By what is known of it without a look at the table. */
  readonly mayBeWanted: (item: LoggedItem) => boolean;
}

async function findItems(
  { table, scan, log }: ListSource,
  { isWanted, mayBeWanted }: Wanted,
  from: Found['next'] = { before: Number.POSITIVE_INFINITY },
): Promise<Found> {
  const items: KeyedItem[] = [];
  let read = 0;
  let asked = 0;
  let after = 'after' in from ? from.after : undefined;
  if ('before' in from) {
    const newest = log.newest(from.before).filter(mayBeWanted);
    for (let at = 0; at < newest.length; at += limits.rows) {
      const some = newest.slice(at, at + limits.rows);
      const itemAt = byKey(await table.getMany(some.map(({ key }) => key)));
      asked += some.length;
      for (const { key, order } of some) {
        const item = itemAt(key);
        if (item === undefined) continue;
        read += 1;
        if (!isWanted(item)) continue;
        items.push(item);
        if (items.length === limits.rows) return { items, read, next: { before: order } };
      }
      const last = some.at(-1);
      if (asked >= limits.read && last !== undefined) return { items, read, next: { before: last.order } };
    }
  }
  // A page of the table is shown whole, so that the next one begins where it ends.
  for (let scanned = asked; ; ) {
    const page = await scan.scan({ index: 0, of: 1 }, 2 * limits.rows, after);
    scanned += page.entries.length;
    const others = page.entries.filter(({ key }) => log.of(key) === undefined);
    read += others.length;
    items.push(...others.filter(isWanted));
    after = page.next;
    if (after === undefined) return { items, read, next: undefined };
    if (items.length >= limits.rows || scanned >= limits.read) return { items, read, next: { after } };
  }
}

/** Whether the attribute is there, and its text contains this one. */
function hasValue(item: Item, name: string, part: string): boolean {
  const value = attribute(item, name);
  if (value === undefined) return false;
  return valueText(itemToJson({ value })['value']).toLowerCase().includes(part.toLowerCase());
}

/**
 * Items of a partition of the table or of an index, as they are in the table now: an entry of an index may be older.
 * @throws PageError `page.request` if no item has such a key, or there is no such index
 */
export async function queryView(source: QuerySource, parameters: URLSearchParams): Promise<ItemsView> {
  const { registry, table } = source;
  const index = parameters.get('index') ?? '';
  const keys = index === '' ? registry.table : indexNamed(registry.table, index);
  if (keys === undefined)
    throw new PageError('page.request', 'Expected an index of the table, got another name');
  const begins = parameters.get('sk') ?? '';
  const range = rangeGiven(keys, { pk: parameters.get('pk') ?? '', ...(begins !== '' && { begins }) });
  if (!isLegalRange(keys, range))
    throw new PageError('page.request', 'Expected a partition key, got a text that can be none');
  const location = index === '' ? { in: 'partition' as const } : { in: 'index' as const, index };
  const from = fromIn(parameters);
  const after = from !== undefined && 'after' in from ? from.after : undefined;
  const page = await table.query({ ...location, ...range }, limits.rows, after);
  const itemAt = index === '' ? undefined : byKey(await table.getMany(page.entries.map(({ key }) => key)));
  const items = page.entries.flatMap((entry) => (itemAt === undefined ? entry : (itemAt(entry.key) ?? [])));
  const next = page.next && { after: page.next };
  return await viewOf(source, { items, next, read: page.entries.length }, []);
}

function fromIn(parameters: URLSearchParams): Found['next'] {
  const text = parameters.get('from') ?? '';
  if (text === '') return undefined;
  const from = fromSchema.safeParse(jsonOrUndefined(text));
  if (from.success) return from.data;
  throw new PageError(
    'page.request',
    'Expected the beginning of a page as the page before names it, got another',
  );
}

/** @param first the attributes that get columns before others, which get them by how many of the items have them */
async function viewOf(
  { registry, table, log }: QuerySource,
  { items, next, read }: Found,
  first: readonly string[],
): Promise<ItemsView> {
  const counts = new Map<string, number>();
  for (const { item } of items)
    for (const name of Object.keys(item)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isShown = (name: string) => !isKeyName(registry.table, name) && name !== registry.table.type;
  const byCount = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name);
  const names = [...new Set([...first, ...byCount])].filter((name) => counts.has(name) && isShown(name));
  const columns = names.slice(0, limits.columns);
  const followed = items.map(({ item }) => followedIn(registry, item));
  const there = byKey(await table.getMany(distinct(followed.flatMap(({ keys }) => keys))));
  const rows = items.map(({ key, item }, at): ItemRow => {
    // A dead letter has written nothing.
    const changedAt = log?.of(key)?.events.findLast(({ reason }) => reason === undefined)?.at;
    return {
      key,
      kinds: registry.kinds.flatMap((kind) => (isOfKind(kind, item) ? kind.name : [])),
      // JSON has no undefined in lists.
      values: columns.map((name) => (Object.hasOwn(item, name) ? (listedValue(item, name) ?? false) : null)),
      follows: rootsIn(registry, item),
      followedBy: followed[at]?.keys.filter((one) => there(one) !== undefined && !sameKey(one, key)) ?? [],
      queries: followed[at]?.queries ?? [],
      ...(changedAt !== undefined && { changedAt }),
    };
  });
  const text = next && JSON.stringify(next);
  return { columns, rows, hidden: names.slice(limits.columns), next: text, read };
}

function distinct(keys: readonly ItemKey[]): readonly ItemKey[] {
  return [...new Map(keys.map((key) => [JSON.stringify([key.pk, key.sk]), key])).values()];
}

/** The roots that it names as a copy, whether they exist or not. */
function rootsIn({ rules }: Registry, item: Item): readonly ItemKey[] {
  const roots = rules.flatMap((rule) => {
    if (rule.located.in === 'itself' || !isOfKind(rule.copy, item)) return [];
    const root = rootOrFault(rule, item);
    return root === undefined || root instanceof Error ? [] : [root];
  });
  return distinct(roots).slice(0, limits.links);
}

/** Where its copies are, and its targets: keys, or queries that find them. */
function followedIn({ rules, aggregates }: Registry, item: Item) {
  const keys: ItemKey[] = [];
  const queries: ItemRow['queries'][number][] = [];
  for (const rule of rules) {
    if (rule.located.in === 'itself' || !isOfKind(rule.root, item) || !isIncluded(rule, item)) continue;
    for (const location of locationsOf(rule, item)) {
      if (isListed(location)) keys.push(...listedKeys(location).slice(0, limits.links));
      else if (typeof location.pk === 'string' && location.sk === undefined)
        queries.push({ kind: rule.copy.name, parameters: parametersOf(location, location.pk) });
    }
  }
  for (const aggregate of aggregates)
    if (isOfKind(aggregate.of, item))
      keys.push(
        ...unlessInvalid(
          () => targetsOf(aggregate, item),
          () => [],
        ).slice(0, limits.links),
      );
  return { keys: distinct(keys), queries };
}

function parametersOf(location: Exclude<CopyLocation, { in: 'key' | 'keys' }>, pk: string) {
  return {
    ...(location.in === 'index' && { index: location.index }),
    ...{ pk, ...(location.begins !== undefined && { sk: location.begins }) },
    query: '1',
  };
}
