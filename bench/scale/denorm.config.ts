import { defineConfig } from 'stream-denormalizer';
import { archiveOrders } from '../../src/rules/archive-orders.ts';
import { orderDateOnItems } from '../../src/rules/order-date-on-items.ts';
import { orderStatusKeys } from '../../src/rules/order-status-keys.ts';
import { usernameOnMemberships } from '../../src/rules/username-on-memberships.ts';
import { table } from '../../src/table.ts';

/** The rules of which the measured table has items: copies by an index, by a partition and by themselves, and an archive. */
export default defineConfig({
  table,
  rules: [usernameOnMemberships, orderStatusKeys(1), orderDateOnItems],
  archives: [archiveOrders(1, 90)],
});
