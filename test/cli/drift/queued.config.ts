import { defineConfig } from 'stream-denormalizer';
import { orderOnUserOrder } from '../../../src/rules/order-on-user-order.ts';
import { table } from '../../../src/table.ts';

const { QUEUED_TABLE, QUEUED_ENDPOINT, QUEUED_URL } = process.env;

/** A stage whose fan-out queue can be looked at. */
export default defineConfig({
  table,
  rules: [orderOnUserOrder],
  stages: {
    queued: {
      ...(QUEUED_TABLE && { table: QUEUED_TABLE }),
      ...(QUEUED_ENDPOINT && { endpoint: QUEUED_ENDPOINT }),
      ...(QUEUED_URL && { queueUrl: QUEUED_URL }),
    },
  },
});
