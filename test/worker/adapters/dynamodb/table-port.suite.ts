import { afterAll, beforeAll, describe } from 'vitest';
import type { Bench, OpenedTable } from './bench.ts';
import { readCases } from './read-cases.ts';
import { itemOf } from './table-fixture.ts';
import { transactCases } from './transact-cases.ts';
import { updateCases } from './update-cases.ts';

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
