import { type ArchiveRule, aging, defineArchiveRule } from '../model/archive-rule.ts';
import { GSI2 } from '../table.ts';
import { statusPartitions } from './order-status-keys.ts';
import { instantOf, order, orderItem } from './shop-items.ts';

/** Nothing happens any more to an order that has come to one of these. */
const finalStatuses = ['DELIVERED', 'CANCELLED'];

/** An order in a final status expires, with its items, some time after it was made. Its user's order stays. */
export function archiveOrders(shards: number, days: number): ArchiveRule {
  return defineArchiveRule({
    name: 'archive-orders',
    kinds: [order, orderItem],
    onDelete: 'keep',
    ages: aging(order, {
      reads: ['Status', 'CreatedAt'],
      when: ({ Status }) => finalStatuses.includes(Status),
      since: ({ CreatedAt }) => instantOf(CreatedAt),
      days,
      found: {
        in: 'index',
        index: GSI2,
        pks: finalStatuses.flatMap((status) => statusPartitions(status, shards)),
        until: (moment) => `ORDER#${moment.toISOString()}`,
      },
      with: [
        { kind: orderItem, at: ({ ids }) => ({ in: 'partition', pk: orderItem.pk(ids), begins: 'ITEM#' }) },
      ],
    }),
  });
}
