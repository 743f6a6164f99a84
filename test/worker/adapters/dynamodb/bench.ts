import type { Item, ItemKey } from '../../../../src/model/items/item.ts';
import type { TableNames } from '../../../../src/model/items/table-names.ts';
import type { TablePort } from '../../../../src/worker/ports.ts';

/** A table under test: behind the port, and with access that bypasses it. */
export interface OpenedTable {
  readonly port: TablePort;
  readonly names: TableNames;
  /** Puts an item as an application would. */
  put(item: Item): Promise<void>;
  /** The current item. */
  read(key: ItemKey): Promise<Item | undefined>;
  stop(): Promise<void>;
}

/** The setting of the suite’s cases: the table, opened before the first case, and partitions that no other case uses. */
export interface Bench {
  table(): OpenedTable;
  /** A partition for this case alone. */
  partition(): string;
  /** The key of an item with these attributes, alone in its partition. */
  stored(attributes?: Item): Promise<ItemKey>;
}
