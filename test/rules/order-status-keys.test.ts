import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../src/testing/table-model/model-worker.ts';
import { anOrder } from '../fixtures/application/items.ts';
import { only } from '../fixtures/application/load-rules.ts';
import { workerAfter, workerOver } from '../fixtures/world/world.ts';

describe('the status keys of an order', () => {
  test.each([1, 2, 7, 100])(
    'find every order by a query of all %i suffixes, newest last, and no others',
    async (shards) => {
      const worker = workerOver([], {}, only('order-status-keys', shards));
      const orders = Array.from({ length: 200 }, (_, index) => `o-${index}`);
      for (const [index, order] of orders.entries())
        worker.table.put(anOrder({ PK: `ORDER#${order}`, Status: index % 2 === 0 ? 'PENDING' : 'PAID' }));

      await worker.rest();

      const suffixes = shards === 1 ? [''] : Array.from({ length: shards }, (_, shard) => `#${shard}`);
      const found = await Promise.all(
        suffixes.map((suffix) =>
          worker.port.query({ in: 'index', index: 'GSI2', pk: `STATUS#PENDING${suffix}` }, 1000),
        ),
      );
      const ids = found.flatMap(({ entries }) => entries.map(({ key }) => key.pk));
      expect(ids.toSorted()).toEqual(
        orders
          .filter((_, index) => index % 2 === 0)
          .map((order) => `ORDER#${order}`)
          .toSorted(),
      );
      if (shards > 1) expect(found.filter(({ entries }) => entries.length > 0).length).toBeGreaterThan(1);
    },
  );

  test('keep an order on its shard whatever its status', async () => {
    const worker = await workerAfter([anOrder()], only('order-status-keys', 16));
    const suffix = suffixOf(worker);
    worker.table.put(anOrder({ Status: 'SHIPPED' }));
    await worker.rest();

    expect(suffix).toMatch(/^STATUS#PENDING#([0-9]|1[0-5])$/);
    expect(suffixOf(worker)).toBe(suffix.replace('PENDING', 'SHIPPED'));
  });
});

function suffixOf(worker: ModelWorker): string {
  const value = worker.table.read({ pk: 'ORDER#o-1001', sk: 'METADATA' })?.GSI2PK;
  return value !== undefined && 'S' in value ? value.S : '';
}
