import { defineRule } from 'stream-denormalizer';
import { order, userOrder } from './shop-items.ts';

/** Copies an order's status and total to its user's order, whose key contains the user and the time of creation. */
export const orderOnUserOrder = defineRule({
  name: 'order-on-user-order',
  root: order,
  copy: userOrder,
  reads: { root: ['UserId', 'CreatedAt'], copy: ['OrderId'] },
  located: {
    in: 'key',
    at: ({ UserId, CreatedAt }) => userOrder.key({ user: UserId, createdAt: CreatedAt }),
  },
  rootOf: ({ OrderId }) => order.key({ order: OrderId }),
  copies: ['Status', 'Total'],
  onDelete: 'delete',
  onExpire: 'keep',
});
