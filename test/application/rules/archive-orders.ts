import { type ArchiveRule, aging, defineArchive } from 'stream-denormalizer';
import { GSI2 } from '../table.ts';
import { statusPartitions } from './order-status-keys.ts';
import { instantOf, order, orderItem } from './shop-items.ts';

/** Orders in these statuses do not change any more. */
const finalStatuses = ['DELIVERED', 'CANCELLED'];

/** A sweep archives orders in a final status and their items when they are old enough. The user's order stays. */
export function archiveOrders(shards: number, days: number): ArchiveRule {
  return defineArchive({
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
