import { createHash } from 'node:crypto';
import { readUnits } from '../../model/items/capacity.ts';
import { compareParts } from '../../model/items/copy-location.ts';
import type { KeyedItem } from '../../model/items/item.ts';
import { itemSize } from '../../model/items/item-size.ts';
import { byBytes } from '../../model/items/key-order.ts';
import { keyParts } from '../../model/items/table-names.ts';
import type { Cursor } from '../../model/work/message.ts';
import type { ScanPage, ScanPort, Segment } from '../../worker/ports.ts';
import { cursorAt } from './model-indexes.ts';
import type { ModelTable } from './model-table.ts';

/** A page of a scan holds at most so many bytes. Source: AWS, "Scan". */
const maxBytes = 1024 * 1024;

/** Segments are ranges of hashed partition keys, and a page ends at 1 MB. */
export class ModelScan implements ScanPort {
  pages = 0;
  units = 0;
  /** Called before each page: it may change the table, as others do meanwhile, or throw what the port would. */
  before: (segment: Segment, from: Cursor | undefined) => void = () => {};
  private readonly table: ModelTable;
  private readonly late: boolean;

  /** @param late whether items show as they were a second ago, as an eventually consistent read may show them */
  constructor(table: ModelTable, late = false) {
    this.table = table;
    this.late = late;
  }

  async scan(segment: Segment, limit: number, from?: Cursor): Promise<ScanPage> {
    this.before(segment, from);
    const entries: KeyedItem[] = [];
    let bytes = 0;
    let full = false;
    for (const one of this.after(segment, from)) {
      // Like DynamoDB, it names a next page after one that is just full, and ends one with the item that passes 1 MB.
      entries.push(one);
      bytes += itemSize(one.item);
      full = entries.length === limit || bytes >= maxBytes;
      if (full) break;
    }
    const units = readUnits(bytes, false);
    this.pages += 1;
    this.units += units;
    const last = full ? entries.at(-1) : undefined;
    return { entries, next: last && cursorAt([this.table.names], last.item), units };
  }

  private *after({ index, of }: Segment, from: Cursor | undefined): Generator<KeyedItem> {
    const { names } = this.table;
    const [ofPk, ofSk] = keyParts(names).all;
    const pks = this.table
      .partitionKeys()
      .map((pk) => ({ pk, hash: hashOf(pk) }))
      .filter(({ hash }) => hash >= index / of && hash < (index + 1) / of)
      .sort((a, b) => a.hash - b.hash || byBytes(a.pk, b.pk))
      .map(({ pk }) => pk);
    const start = ofPk && from?.[ofPk.name];
    const sk = (ofSk && from?.[ofSk.name]) ?? '';
    for (const pk of start === undefined ? pks : pks.slice(pks.indexOf(start)))
      for (const { key, item } of this.table.partition(pk)) {
        if (pk === start && (ofSk === undefined || compareParts(ofSk, key.sk, sk) <= 0)) continue;
        const shown = this.late ? this.table.readLate(key) : item;
        if (shown !== undefined) yield { key, item: shown };
      }
  }
}

/** 0 to 1: the order of a scan. */
function hashOf(pk: string): number {
  return createHash('md5').update(pk).digest().readUInt32BE() / 2 ** 32;
}
