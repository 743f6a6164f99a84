import { describe, expect, test } from 'vitest';
import { ModelWorker } from '../../src/develop/testing/table-model/model-worker.ts';
import { only } from '../fixtures/rules/only.ts';
import { anOrder, anOrderItem } from '../fixtures/rules/shop.ts';

const registry = only('order-date-on-items');
const keys = { GSI3PK: 'PRODUCT#p-7', GSI3SK: 'SALE#2026-01-15T09:30:00.123456' };

describe('order-date-on-items', () => {
  test('updates the index key of an item that changes its product', async () => {
    const worker = new ModelWorker(registry);
    worker.table.put(anOrder());
    worker.table.put(anOrderItem(keys));
    await worker.rest();
    worker.table.put(anOrderItem({ ...keys, ProductId: 'p-9' }));

    await worker.rest();

    expect(worker.table.partition('ORDER#o-1001', 'ITEM#')).toEqual([
      anOrderItem({ ...keys, ProductId: 'p-9', GSI3PK: 'PRODUCT#p-9' }),
    ]);
  });

  test('finds the sales of a product between two dates', async () => {
    const worker = new ModelWorker(registry);
    for (const [order, day] of [
      ['a', '01'],
      ['b', '15'],
      ['c', '31'],
    ] as const) {
      worker.table.put(anOrder({ PK: `ORDER#${order}`, CreatedAt: `2026-01-${day}` }));
      worker.table.put(anOrderItem({ PK: `ORDER#${order}` }));
    }

    await worker.rest();

    const { entries } = await worker.port.query(
      { in: 'index', index: 'GSI3', pk: 'PRODUCT#p-7', begins: 'SALE#2026-01-1' },
      10,
    );
    expect(entries).toEqual([{ PK: { S: 'ORDER#b' }, SK: { S: 'ITEM#p-7' } }]);
  });

  test('dead-letters an item without a product, and processes the others', async () => {
    const worker = new ModelWorker(registry);
    worker.table.put(anOrderItem({ ProductId: undefined }));
    worker.table.put(anOrderItem({ SK: 'ITEM#p-8' }));
    await worker.rest();
    worker.table.put(anOrder());

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([
      { message: { copies: [{ pk: 'ORDER#o-1001', sk: 'ITEM#p-7' }] } },
    ]);
    expect(worker.table.read({ pk: 'ORDER#o-1001', sk: 'ITEM#p-8' })).toEqual(
      anOrderItem({ ...keys, SK: 'ITEM#p-8' }),
    );
  });
});
