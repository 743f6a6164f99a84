import { createHash } from 'node:crypto';
import { itemSize, readUnits } from '../../../model/capacity.ts';
import { compareParts } from '../../../model/copy-location.ts';
import { type Item, keyOf } from '../../../model/item.ts';
import { byBytes } from '../../../model/key-order.ts';
import type { Cursor } from '../../../model/message.ts';
import { keyParts } from '../../../model/table-names.ts';
import type { ScanPage, ScanPort, Segment } from '../../../worker/ports.ts';
import { cursorAt } from './model-indexes.ts';
import type { ModelTable } from './model-table.ts';

/** A page of a scan holds at most so many bytes. Source: AWS, "Scan". */
const maxBytes = 1024 * 1024;

interface Partition {
  readonly pk: string;
  /** Its hash, 0 to 1: the order of a scan. */
  readonly location: number;
}

/** Segments are ranges of hashed partition keys, and a page ends at 1 MB. */
export class ModelScan implements ScanPort {
  pages = 0;
  units = 0;
  /** Called before each page: it may change the table, as others do meanwhile, or throw what the port would. */
  before: (segment: Segment, from: Cursor | undefined) => void = () => {};
  private readonly table: ModelTable;
  private readonly late: boolean;
  private order: readonly Partition[] = [];

  /** @param late whether items show as they were a second ago, as an eventually consistent read may show them */
  constructor(table: ModelTable, late = false) {
    this.table = table;
    this.late = late;
  }

  async scan(segment: Segment, limit: number, from?: Cursor): Promise<ScanPage> {
    this.before(segment, from);
    const entries: Item[] = [];
    let bytes = 0;
    let full = false;
    for (const item of this.after(segment, from)) {
      // Like DynamoDB, it names a next page after one that is just full, and ends one with the item that passes 1 MB.
      entries.push(item);
      bytes += itemSize(item);
      full = entries.length === limit || bytes >= maxBytes;
      if (full) break;
    }
    const units = readUnits(bytes, false);
    this.pages += 1;
    this.units += units;
    const last = full ? entries.at(-1) : undefined;
    return { entries, next: last && cursorAt([this.table.names], last), units };
  }

  private *after({ index, of }: Segment, from: Cursor | undefined): Generator<Item> {
    const { names } = this.table;
    const [ofPk, ofSk] = keyParts(names).all;
    const start = ofPk && from?.[ofPk.name];
    const sk = (ofSk && from?.[ofSk.name]) ?? '';
    const order = this.inOrder();
    const first =
      start === undefined ? firstFrom(order, index / of) : order.findIndex(({ pk }) => pk === start);
    for (const { pk, location } of order.slice(Math.max(0, first))) {
      if (location >= (index + 1) / of) return;
      for (const item of this.table.partition(pk)) {
        const key = keyOf(names, item);
        if (key === undefined) continue;
        if (pk === start && (ofSk === undefined || compareParts(ofSk, key.sk, sk) <= 0)) continue;
        const shown = this.late ? this.table.readLate(key) : item;
        if (shown !== undefined) yield shown;
      }
    }
  }

  /** Partitions never go from the model, so that their number says whether there are new ones. */
  private inOrder(): readonly Partition[] {
    const keys = this.table.partitionKeys();
    if (keys.length !== this.order.length)
      this.order = keys
        .map((pk) => ({ pk, location: createHash('md5').update(pk).digest().readUInt32BE() / 2 ** 32 }))
        .sort((a, b) => a.location - b.location || byBytes(a.pk, b.pk));
    return this.order;
  }
}

function firstFrom(order: readonly Partition[], location: number): number {
  const first = order.findIndex((partition) => partition.location >= location);
  return first === -1 ? order.length : first;
}
