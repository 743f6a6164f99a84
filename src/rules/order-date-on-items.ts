import { defineRule } from 'stream-denormalizer';
import { GSI3 } from '../table.ts';
import { order, orderItem } from './shop-items.ts';

/** Indexes an order's items by product and by the time of the order. Items outlive their order. */
export const orderDateOnItems = defineRule({
  name: 'order-date-on-items',
  root: order,
  copy: orderItem,
  reads: { root: ['CreatedAt'], copy: ['ProductId'] },
  located: { in: 'partition', at: ({ ids }) => ({ pk: orderItem.pk(ids), begins: 'ITEM#' }) },
  rootOf: ({ ids }) => order.key(ids),
  derive: {
    [GSI3.pk]: ({ copy }) => `PRODUCT#${copy.ProductId}`,
    [GSI3.sk]: ({ root }) => `SALE#${root.CreatedAt}`,
  },
  onDelete: 'keep',
  onExpire: 'keep',
});
