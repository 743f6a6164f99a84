import { afterAll, beforeAll, describe } from 'vitest';
import type { Item, ItemKey } from '../../../../src/model/item.ts';
import type { TableNames } from '../../../../src/model/table-names.ts';
import type { TablePort } from '../../../../src/worker/ports.ts';
import { readCases } from './read-cases.ts';
import { itemOf } from './table-fixture.ts';
import { transactCases } from './transact-cases.ts';
import { updateCases } from './update-cases.ts';

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

/** The contract of every TablePort. The table’s names are those of table-fixture.ts. */
export function tablePortSuite(name: string, open: () => Promise<OpenedTable>): void {
  describe(`table port: ${name}`, () => {
    let opened: OpenedTable | undefined;
    let cases = 0;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.stop();
    });
    const bench: Bench = {
      table() {
        if (opened === undefined) throw new Error('Expected the table to be open');
        return opened;
      },
      partition() {
        cases += 1;
        return `case ${cases}`;
      },
      async stored(attributes) {
        const key = { pk: bench.partition(), sk: 'a' };
        await bench.table().put(itemOf(key, attributes));
        return key;
      },
    };
    describe('reads', () => readCases(bench));
    describe('updates', () => updateCases(bench));
    describe('transactions', () => transactCases(bench));
  });
}
