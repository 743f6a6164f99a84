import { defineConfig } from 'stream-denormalizer';
import { contenderTotals } from '../../../src/rules/contender-totals.ts';
import { orderOnUserOrder } from '../../../src/rules/order-on-user-order.ts';
import { table } from '../../../src/table.ts';

/** Its copies and members name nothing, as if they lacked the attribute that does. */
export default defineConfig({
  table,
  rules: [{ ...orderOnUserOrder, rootOf: () => undefined }],
  aggregates: [{ ...contenderTotals, targetsOf: () => [] }],
});
