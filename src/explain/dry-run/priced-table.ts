import { readUnits } from '../../model/items/capacity.ts';
import type { Change } from '../../model/items/change.ts';
import { type CopyLocation, isInLocation, type QueriedLocation } from '../../model/items/copy-location.ts';
import {
  byKey,
  type Item,
  type ItemKey,
  isLegalKey,
  type KeyedItem,
  keyText,
} from '../../model/items/item.ts';
import { itemSize } from '../../model/items/item-size.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { keysPerRequest } from '../../worker/adapters/dynamodb/get-items.ts';
import { transactionsOf } from '../../worker/adapters/dynamodb/transact-items.ts';
import { statementsPerRequest } from '../../worker/adapters/dynamodb/update-items.ts';
import type { TablePort, TableReads } from '../../worker/ports.ts';
import { overlaidTable, type WouldSpend } from './overlaid-table.ts';

/** What is asked of the table, with its price. Reads are sent; writes are not. */
export type PricedStep =
  | { readonly does: 'read'; readonly key: ItemKey; readonly readUnits: number }
  | {
      readonly does: 'query';
      readonly location: QueriedLocation;
      readonly found: number;
      readonly readUnits: number;
    }
  | WouldSpend;

export interface PricedSteps {
  readonly steps: readonly PricedStep[];
  /** The requests of DynamoDB behind each call of the port, one call after another. */
  readonly requests: readonly number[];
}

/** A table for a dry run, {@link overlaidTable}, that notes every request with its price. */
export function pricedTable(inner: TablePort, table: TableNames) {
  const noted: PricedStep[] = [];
  const requests: number[] = [];
  /** Each written item, as it was before the first planned write and as it is after the last. */
  const written = new Map<
    string,
    { readonly key: ItemKey; readonly first: Item | undefined; readonly last: Item | undefined }
  >();
  /** Items of an index page. Only their keys are returned, but they are usually read next. */
  const ahead = new Map<string, KeyedItem>();
  const reading: TableReads = {
    get: (key) => inner.get(key),
    getMany: readAhead,
    query: (...asked) => inner.query(...asked),
  };
  const overlay = overlaidTable(reading, table, note);

  function note(step: WouldSpend): void {
    noted.push(step);
    if (step.does !== 'write') return;
    const { key } = step.write;
    const text = keyText(key);
    const { first } = written.get(text) ?? { first: step.before };
    written.set(text, { key, first, last: step.after });
  }

  async function readAhead(keys: readonly ItemKey[]): Promise<readonly KeyedItem[]> {
    const known = keys.map((key) => ahead.get(keyText(key))).filter((item) => item !== undefined);
    const others = keys.filter((key) => !ahead.has(keyText(key)));
    return [...known, ...(await manyOf(others))];
  }

  const manyOf = async (keys: readonly ItemKey[]) => (keys.length === 0 ? [] : inner.getMany(keys));

  function placedIn(location: CopyLocation): readonly KeyedItem[] {
    const isIn = (item: Item) => isInLocation(table, item, location);
    return [...written.values()].flatMap(({ key, first, last }) =>
      last === undefined || !isIn(last) || (first !== undefined && isIn(first)) ? [] : [{ key, item: last }],
    );
  }

  async function getMany(keys: readonly ItemKey[]): Promise<readonly KeyedItem[]> {
    const legal = keys.filter((key) => isLegalKey(table, key));
    requests.push(Math.ceil(legal.length / keysPerRequest));
    const items = legal.length === 0 ? [] : await overlay.getMany(legal);
    const found = byKey(items);
    for (const key of legal) {
      const one = found(key);
      noted.push({ does: 'read', key, readUnits: readUnits(one ? itemSize(one.item) : 0, true) });
      ahead.delete(keyText(key));
    }
    return items;
  }

  const port: TablePort = {
    getMany,
    get: async (key) => (await getMany([key]))[0],

    /**
     * The cost of a page is known only when its items are: an index entry contains the whole item. Items that a planned write
     * places on the index are part of the first page: a search for members at an end may read no other.
     */
    async query(location, limit, from, whole = false) {
      const page = await overlay.query(location, limit, from, whole);
      requests.push(1);
      const isWhole = location.in === 'partition' || whole;
      const placed = isWhole || from !== undefined ? [] : placedIn(location);
      const entries = [...page.entries, ...placed];
      const items = isWhole ? entries : [...(await manyOf(page.entries.map(({ key }) => key))), ...placed];
      const units = readUnits(sizeOf(items), location.in === 'partition');
      noted.push({ does: 'query', location, found: entries.length, readUnits: units });
      if (!isWhole) for (const one of items) ahead.set(keyText(one.key), one);
      return { entries, next: page.next };
    },

    async update(updates) {
      requests.push(Math.ceil(updates.length / statementsPerRequest));
      return overlay.update(updates);
    },

    async transact(root, actions) {
      requests.push(transactionsOf(actions).length);
      return overlay.transact(root, actions);
    },
  };

  return {
    ...port,
    /** What was asked since the last call. */
    take(): PricedSteps {
      ahead.clear();
      return { steps: noted.splice(0), requests: requests.splice(0) };
    },
  };
}

function sizeOf(items: readonly KeyedItem[]): number {
  return items.reduce((bytes, { item }) => bytes + itemSize(item), 0);
}

export function changesOf(steps: readonly PricedStep[]): Change[] {
  return steps.flatMap((step, index): Change[] => {
    if (step.does !== 'write') return [];
    const { before, after } = step;
    const { key } = step.write;
    return [{ key, before, after, sequence: BigInt(index), expired: false, at: undefined }];
  });
}
