import { writeUnits } from '../../src/model/items/capacity.ts';
import type { Item } from '../../src/model/items/item.ts';
import { ModelRefusal } from '../../src/testing/table-model/impossible-item.ts';
import type { ModelTable } from '../../src/testing/table-model/model-table.ts';
import type { PutOutcome, PutPort } from '../../src/worker/ports.ts';

/** Whole items put into the model table. */
export class ModelPut implements PutPort {
  /** Puts asked for so far. */
  puts = 0;
  /** Write units of all of them. */
  units = 0;
  /** Called before each put: it may change the table, as others do meanwhile, or throw what the port would. */
  before: (item: Item) => void = () => {};
  private readonly table: ModelTable;

  constructor(table: ModelTable) {
    this.table = table;
  }

  async putIfAbsent(item: Item): Promise<PutOutcome> {
    return this.put(item, 'absent');
  }

  async overwrite(item: Item): Promise<PutOutcome> {
    return this.put(item, undefined);
  }

  private put(item: Item, on: 'absent' | undefined): PutOutcome {
    this.before(item);
    const units = writeUnits(this.table.names, undefined, item).total;
    this.puts += 1;
    this.units += units;
    try {
      return { outcome: this.table.put(item, on) ? 'put' : 'exists', units };
    } catch (error) {
      if (error instanceof ModelRefusal) return { outcome: 'refused', units };
      throw error;
    }
  }
}
