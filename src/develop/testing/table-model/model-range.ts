import { readUnits } from '../../../model/capacity.ts';
import { itemSize } from '../../../model/item-size.ts';
import type { Cursor } from '../../../model/message.ts';
import type { IndexKeyRange, KeyPage, RangePort } from '../../../worker/archive/sweep/sweep-context.ts';
import type { ModelTable } from './model-table.ts';

/** Partitions of the model table's indexes up to a sort key, as late as those are. */
export class ModelRange implements RangePort {
  /** Pages asked for so far. */
  pages = 0;
  /** Read units of all pages so far. */
  units = 0;
  /** Called before each page: it may change the table, as others do meanwhile, or throw what the port would. */
  onPage: (keyRange: IndexKeyRange, from: Cursor | undefined) => void = () => {};
  private readonly table: ModelTable;

  constructor(table: ModelTable) {
    this.table = table;
  }

  async before(keyRange: IndexKeyRange, limit: number, from?: Cursor): Promise<KeyPage> {
    this.onPage(keyRange, from);
    const { index, pk, until } = keyRange;
    const page = this.table.indexes.before(index, pk, until, limit, from);
    const shown = page.entries.map((key) => this.table.indexes.shown(index, key) ?? {});
    const units = readUnits(
      shown.reduce((sum, item) => sum + itemSize(item), 0),
      false,
    );
    this.pages += 1;
    this.units += units;
    return { ...page, units };
  }
}
