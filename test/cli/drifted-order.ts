import { onTestFinished } from 'vitest';
import { orderItems } from '../deployed/items.ts';
import { type SeededTable, seedTable } from '../operations/seeded-table.ts';

const { root, said, userOrder, userSaid } = orderItems(1, '1');

/** A table with an order whose copy does not follow it. */
export async function driftedOrder(endpoint: string, name: string, stream = true): Promise<SeededTable> {
  const items = [
    { ...root, ...said },
    { ...userOrder, ...userSaid, Status: 'WRONG' },
  ];
  const table = await seedTable(endpoint, name, items, stream);
  onTestFinished(() => table.close());
  return table;
}
