import { indexNamed } from '../../../model/copy-location.ts';
import { FatalError } from '../../../model/errors.ts';
import { type Item, type ItemKey, keyOf, keyText, text } from '../../../model/item.ts';
import { byBytes } from '../../../model/key-order.ts';
import type { Cursor } from '../../../model/message.ts';
import type { IndexNames, TableNames } from '../../../model/table-names.ts';
import type { Page, QueriedRange } from '../../../worker/ports.ts';

type IndexLocation = Extract<QueriedRange, { in: 'index' }>;

interface Entry {
  readonly pk: string;
  readonly sk: string;
  readonly item: Item;
}

interface Shown {
  readonly key: ItemKey;
  readonly item: Item;
}

interface Awaited {
  readonly key: string;
  readonly item: Item | undefined;
  readonly visibleAt: number;
}

/**
 * The indexes of the table: computed from its items, sparse, and late where the caller wants them late. The changes of
 * one item reach them in order.
 */
export class ModelIndexes {
  /** How late the next changes are, in milliseconds. Default 0: an index is never late. */
  lag = 0;
  private readonly names: TableNames;
  private readonly now: () => number;
  private readonly entries = new Map<string, Map<string, Entry>>();
  private awaited: Awaited[] = [];

  constructor(names: TableNames, now: () => number) {
    this.names = names;
    this.now = now;
    for (const { name } of Object.values(names.indexes)) this.entries.set(name, new Map());
  }

  /** Takes note of what an item has become. */
  follow(key: ItemKey, item: Item | undefined): void {
    const at = keyText(key);
    if (this.lag === 0 && this.awaited.length === 0) this.show(at, item);
    else {
      const behind = this.awaited.findLast((one) => one.key === at)?.visibleAt ?? 0;
      this.awaited.push({ key: at, item, visibleAt: Math.max(behind, this.now() + this.lag) });
    }
  }

  /** When the last change that is not on the indexes yet will be, or undefined where none is awaited. */
  settledAt(): number | undefined {
    return this.awaited.length === 0
      ? undefined
      : Math.max(...this.awaited.map(({ visibleAt }) => visibleAt));
  }

  /** Shows every change at once, however late it was to be. */
  catchUp(): void {
    for (const { key, item } of this.awaited) this.show(key, item);
    this.awaited = [];
  }

  /** One page of an index, in the order of its sort keys, as far as the index has come: keys only unless `whole`. */
  query(location: IndexLocation, limit: number, from?: Cursor, whole = false): Page<Item> {
    const index = indexNamed(this.names, location.index);
    if (index === undefined) throw new FatalError('table.no-index', 'Expected an index of the table');
    const { pk, begins = '', before } = location;
    const matches = (sk: string) =>
      sk.startsWith(begins) && (before === undefined || byBytes(sk, before) < 0);
    const { entries, next } = this.page(index, pk, matches, limit, from);
    return { entries: entries.map(({ key, item }) => (whole ? item : this.attributesOf(key))), next };
  }

  private attributesOf({ pk, sk }: ItemKey): Item {
    return { [this.names.pk]: { S: pk }, [this.names.sk]: { S: sk } };
  }

  private page(
    index: IndexNames,
    pk: string,
    matches: (sk: string) => boolean,
    limit: number,
    from: Cursor | undefined,
  ): Page<Shown> {
    this.showDue();
    if (from !== undefined && from[index.pk] !== pk)
      throw new FatalError(
        'table.cursor',
        'Expected a cursor of the partition that is queried, got another one’s',
      );
    const after = from && {
      sk: from[index.sk] ?? '',
      pk: from[this.names.pk] ?? '',
      own: from[this.names.sk] ?? '',
    };
    const found = [...(this.entries.get(index.name)?.values() ?? [])]
      .filter((entry) => entry.pk === pk && matches(entry.sk))
      .map((entry) => ({ ...entry, key: keyOf(this.names, entry.item) ?? { pk: '', sk: '' } }))
      .sort((a, b) => byBytes(a.sk, b.sk) || byBytes(a.key.pk, b.key.pk) || byBytes(a.key.sk, b.key.sk))
      .filter(
        ({ sk, key }) =>
          after === undefined ||
          (byBytes(sk, after.sk) || byBytes(key.pk, after.pk) || byBytes(key.sk, after.own)) > 0,
      );
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const next =
      last !== undefined && page.length === limit
        ? { [index.pk]: pk, [index.sk]: last.sk, [this.names.pk]: last.key.pk, [this.names.sk]: last.key.sk }
        : undefined;
    return { entries: page, next };
  }

  /** The item as an index shows it, which may be out of date. */
  shown(index: IndexNames, key: ItemKey): Item | undefined {
    this.showDue();
    return this.entries.get(index.name)?.get(keyText(key))?.item;
  }

  private showDue(): void {
    if (this.awaited.length === 0) return;
    const now = this.now();
    for (const { key, item, visibleAt } of this.awaited) if (visibleAt <= now) this.show(key, item);
    this.awaited = this.awaited.filter(({ visibleAt }) => visibleAt > now);
  }

  private show(key: string, item: Item | undefined): void {
    for (const index of Object.values(this.names.indexes)) {
      const pk = text(item?.[index.pk]);
      const sk = text(item?.[index.sk]);
      const entries = this.entries.get(index.name);
      if (item === undefined || pk === undefined || sk === undefined) entries?.delete(key);
      else entries?.set(key, { pk, sk, item });
    }
  }
}
