import { indexNamed } from '../../../model/copy-location.ts';
import { FatalError } from '../../../model/errors.ts';
import { type Item, type ItemKey, keyIn, keyText, text } from '../../../model/item.ts';
import { byBytes } from '../../../model/key-order.ts';
import type { Cursor } from '../../../model/message.ts';
import type { TableNames } from '../../../model/table-names.ts';
import type { Page, QueriedRange } from '../../../worker/ports.ts';

type IndexLocation = Extract<QueriedRange, { in: 'index' }>;

interface Entry {
  readonly pk: string;
  readonly sk: string;
  readonly item: Item;
}

interface Awaited {
  readonly key: string;
  readonly item: Item | undefined;
  readonly visibleAt: number;
}

/** Sparse, and late where the caller wants them late; the changes of one item reach them in order. */
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

  follow(key: ItemKey, item: Item | undefined): void {
    const at = keyText(key);
    if (this.lag === 0 && this.awaited.length === 0) this.show(at, item);
    else {
      const behind = this.awaited.findLast((one) => one.key === at)?.visibleAt ?? 0;
      this.awaited.push({ key: at, item, visibleAt: Math.max(behind, this.now() + this.lag) });
    }
  }

  settledAt(): number | undefined {
    return this.awaited.length === 0
      ? undefined
      : Math.max(...this.awaited.map(({ visibleAt }) => visibleAt));
  }

  catchUp(): void {
    for (const { key, item } of this.awaited) this.show(key, item);
    this.awaited = [];
  }

  /** Keys only unless `whole`. */
  query(location: IndexLocation, limit: number, from?: Cursor, whole = false): Page<Item> {
    const index = indexNamed(this.names, location.index);
    if (index === undefined) throw new FatalError('table.no-index', 'Expected an index of the table');
    const { pk, begins = '', before } = location;
    requirePartition(index.pk, pk, from);
    this.showDue();
    const after = from && [from[index.sk] ?? '', from[this.names.pk] ?? '', from[this.names.sk] ?? ''];
    const found = [...(this.entries.get(index.name)?.values() ?? [])]
      .filter((entry) => entry.pk === pk && entry.sk.startsWith(begins))
      .filter(({ sk }) => before === undefined || byBytes(sk, before) < 0)
      .map(({ sk, item }) => {
        const key = keyIn(this.names, item);
        return { item, order: [sk, key.pk, key.sk] };
      })
      .filter(({ order }) => after === undefined || inOrder(order, after) > 0)
      .sort((a, b) => inOrder(a.order, b.order))
      .slice(0, limit);
    const last = found.length === limit ? found.at(-1) : undefined;
    const [sk = '', ownPk = '', ownSk = ''] = last?.order ?? [];
    return {
      entries: found.map(({ item }) => (whole ? item : withKeyOnly(this.names, item))),
      next: last && { [index.pk]: pk, [index.sk]: sk, [this.names.pk]: ownPk, [this.names.sk]: ownSk },
    };
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

/** DynamoDB refuses a key to start from that the query could not have come to. */
export function requirePartition(name: string, pk: string, from: Cursor | undefined): void {
  if (from !== undefined && from[name] !== pk)
    throw new FatalError(
      'table.cursor',
      'Expected a cursor of the partition that is queried, got another one’s',
    );
}

function inOrder(one: readonly string[], other: readonly string[]): number {
  return one.reduce((order, part, index) => order || byBytes(part, other[index] ?? ''), 0);
}

export function withKeyOnly({ pk, sk }: TableNames, item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name === pk || name === sk));
}
