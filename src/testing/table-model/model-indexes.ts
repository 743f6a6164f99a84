import { FatalError } from '../../model/basics/errors.ts';
import {
  compareParts,
  indexNamed,
  isInRange,
  type QueriedLocation,
} from '../../model/items/copy-location.ts';
import {
  type Item,
  type ItemKey,
  type KeyedItem,
  keyText,
  partText,
  sameKey,
} from '../../model/items/item.ts';
import { byBytes } from '../../model/items/key-order.ts';
import {
  isKeyName,
  type KeyNames,
  type KeyPart,
  keyParts,
  type TableNames,
} from '../../model/items/table-names.ts';
import type { Cursor } from '../../model/work/message.ts';
import type { Page } from '../../worker/ports.ts';

type IndexLocation = Extract<QueriedLocation, { in: 'index' }>;

interface Awaited {
  readonly key: ItemKey;
  readonly item: Item | undefined;
  readonly visibleAt: number;
}

/** Sparse, and late where the caller wants them late; the changes of one item reach them in order. */
export class ModelIndexes {
  /** How late the next changes are, in milliseconds. Default 0: an index is never late. */
  lag = 0;
  private readonly names: TableNames;
  private readonly now: () => number;
  private readonly entries = new Map<string, Map<string, KeyedItem>>();
  private awaited: Awaited[] = [];

  constructor(names: TableNames, now: () => number) {
    this.names = names;
    this.now = now;
    for (const { name } of Object.values(names.indexes)) this.entries.set(name, new Map());
  }

  follow(key: ItemKey, item: Item | undefined): void {
    if (this.lag === 0 && this.awaited.length === 0) this.show(key, item);
    else {
      const behind = this.awaited.findLast((one) => sameKey(one.key, key))?.visibleAt ?? 0;
      this.awaited.push({ key, item, visibleAt: Math.max(behind, this.now() + this.lag) });
    }
  }

  settledAt(): number | undefined {
    return this.awaited.length === 0
      ? undefined
      : Math.max(...this.awaited.map(({ visibleAt }) => visibleAt));
  }

  /** What is awaited, and when from now: of each item in its order. What is due counts as shown. */
  state(): unknown {
    const now = this.now();
    return this.awaited
      .filter(({ visibleAt }) => visibleAt > now)
      .map(({ key, item, visibleAt }) => ({ key: keyText(key), item, after: visibleAt - now }))
      .toSorted((a, b) => byBytes(a.key, b.key));
  }

  /** Keys only unless `whole`. */
  query(location: IndexLocation, limit: number, from?: Cursor, whole = false): Page<KeyedItem> {
    const index = indexNamed(this.names, location.index);
    if (index === undefined) throw new FatalError('table.no-index', 'Expected an index of the table');
    this.showDue();
    const page = pageOf(
      index,
      this.names,
      this.entries.get(index.name)?.values() ?? [],
      location,
      limit,
      from,
    );
    if (whole) return page;
    const keysOnly = ({ key, item }: KeyedItem) => ({ key, item: withKeyOnly(this.names, item) });
    return { ...page, entries: page.entries.map(keysOnly) };
  }

  private showDue(): void {
    if (this.awaited.length === 0) return;
    const now = this.now();
    for (const { key, item, visibleAt } of this.awaited) if (visibleAt <= now) this.show(key, item);
    this.awaited = this.awaited.filter(({ visibleAt }) => visibleAt > now);
  }

  private show(key: ItemKey, item: Item | undefined): void {
    const text = keyText(key);
    for (const index of Object.values(this.names.indexes)) {
      const entries = this.entries.get(index.name);
      const isThere = keyParts(index).all.every((part) => partText(part, item?.[part.name]) !== undefined);
      if (item === undefined || !isThere) entries?.delete(text);
      else entries?.set(text, { key, item });
    }
  }
}

/**
 * The items in a range of the table or of an index, in the order of their sort keys, from a cursor on. Those of an index with equal
 * sort keys come in another order than that of their keys: DynamoDB promises none.
 */
export function pageOf(
  keys: KeyNames,
  table: TableNames,
  items: Iterable<KeyedItem>,
  location: QueriedLocation,
  limit: number,
  from: Cursor | undefined,
): Page<KeyedItem> {
  const { pk, sk } = keyParts(keys);
  // DynamoDB refuses a key to start from that the query could not have come to.
  if (from !== undefined && !pk.every(({ name }, index) => from[name] === [location.pk].flat()[index]))
    throw new FatalError(
      'table.cursor',
      'Expected a cursor of the partition that is queried, got another one’s',
    );
  const placeOf = (textAt: (part: KeyPart) => string) => ({
    sorted: sk.map(textAt),
    tie: [...keyParts(table).all.map(textAt).join('\n')].reverse().join(''),
  });
  type Place = ReturnType<typeof placeOf>;
  const sign = location.backwards ? -1 : 1;
  const compared = (a: Place, b: Place) => sign * (inOrder(sk, a.sorted, b.sorted) || byBytes(a.tie, b.tie));
  const after = from && placeOf(({ name }) => from[name] ?? '');
  const found = [...items]
    .filter(({ item }) => isInRange(keys, item, location))
    .map((one) => ({ one, place: placeOf((part) => partText(part, one.item[part.name]) ?? '') }))
    .filter(({ place }) => after === undefined || compared(place, after) > 0)
    .sort((a, b) => compared(a.place, b.place))
    .slice(0, limit)
    .map(({ one }) => one);
  // Like DynamoDB, it names a next page after one that is just full.
  const last = found.length === limit ? found.at(-1) : undefined;
  return { entries: found, next: last && cursorAt([keys, table], last.item) };
}

/** The key attributes of these keys. */
export function cursorAt(keys: readonly KeyNames[], item: Item): Cursor {
  const parts = keys.flatMap((one) => keyParts(one).all);
  return Object.fromEntries(parts.map((part) => [part.name, partText(part, item[part.name]) ?? '']));
}

function inOrder(parts: readonly KeyPart[], one: readonly string[], other: readonly string[]): number {
  return parts.reduce(
    (order, part, index) => order || compareParts(part, one[index] ?? '', other[index] ?? ''),
    0,
  );
}

export function withKeyOnly(table: TableNames, item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => isKeyName(table, name)));
}
