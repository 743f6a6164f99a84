import { describe, expect, test } from 'vitest';
import { ModelWorker } from '../../src/develop/testing/table-model/model-worker.ts';
import { only } from '../fixtures/rules/only.ts';
import { anOrder, aUserOrder } from '../fixtures/rules/shop.ts';

const registry = only('order-on-user-order');

describe('order-on-user-order', () => {
  test('does not overwrite the copy of another order of the same instant', async () => {
    const worker = new ModelWorker(registry);
    worker.table.put(anOrder());
    worker.table.put(anOrder({ PK: 'ORDER#o-1002', Total: 1 }));
    worker.table.put(aUserOrder());
    worker.table.put(anOrder({ PK: 'ORDER#o-1002', Total: 2, Status: 'PAID' }));

    await worker.rest();

    expect(worker.table.read({ pk: 'USER#42', sk: 'ORDER#2026-01-15T09:30:00.123456' })).toEqual(
      aUserOrder(),
    );
  });

  test.each([
    ['its user', { UserId: '43' }, { pk: 'USER#43', sk: 'ORDER#2026-01-15T09:30:00.123456' }],
    ['its time', { CreatedAt: '2026-02-01' }, { pk: 'USER#42', sk: 'ORDER#2026-02-01' }],
  ])(
    'follows a change of %s: it updates the copy at the new key and deletes the old one',
    async (_, change, location) => {
      const worker = new ModelWorker(registry);
      worker.table.put(anOrder());
      worker.table.put(aUserOrder());
      worker.table.put(aUserOrder({ PK: location.pk, SK: location.sk, Status: 'stale' }));
      await worker.rest();
      worker.table.put(anOrder({ ...change, Status: 'PAID' }));

      await worker.rest();

      expect(worker.table.partition('USER#42', 'ORDER#').concat(worker.table.partition('USER#43'))).toEqual([
        aUserOrder({ PK: location.pk, SK: location.sk, Status: 'PAID' }),
      ]);
    },
  );
});
