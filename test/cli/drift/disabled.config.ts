import { defineConfig } from 'stream-denormalizer';
import { orderOnUserOrder } from '../../../src/rules/order-on-user-order.ts';
import { orderStatusKeys } from '../../../src/rules/order-status-keys.ts';
import { table } from '../../../src/table.ts';

export default defineConfig({
  table,
  rules: [orderOnUserOrder, orderStatusKeys(1)],
  disabled: ['order-on-user-order'],
});
