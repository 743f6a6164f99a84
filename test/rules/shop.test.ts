import { describeRule } from 'stream-denormalizer/testing';
import config from '../../denorm.config.ts';
import { GSI2, GSI3, table } from '../../src/table.ts';

const { pk, sk, type } = table;

const CreatedAt = '2026-01-15T09:30:00Z';
const order = {
  ...{ [pk]: 'ORDER#1', [sk]: 'METADATA', [type]: 'Order', UserId: '1', Status: 'PENDING' },
  ...{ Total: 119.94, CreatedAt, [GSI2.pk]: 'STATUS#PENDING', [GSI2.sk]: `ORDER#${CreatedAt}` },
};
const userOrder = {
  ...{ [pk]: 'USER#1', [sk]: `ORDER#${CreatedAt}`, [type]: 'UserOrder' },
  ...{ OrderId: '1', Status: 'PENDING', Total: 119.94 },
};
const orderItem = {
  ...{ [pk]: 'ORDER#1', [sk]: 'ITEM#1', [type]: 'OrderItem', ProductId: 'mug', ProductName: 'Mug' },
  ...{ Price: 19.99, Quantity: 6, [GSI3.pk]: 'PRODUCT#mug', [GSI3.sk]: `SALE#${CreatedAt}` },
};

describeRule(config, 'order-status-keys', {
  root: order,
  change: { Status: 'SHIPPED' },
  expected: { [GSI2.pk]: 'STATUS#SHIPPED' },
  unconcerned: { Total: 1 },
  others: [userOrder, orderItem],
  invalid: { Status: undefined },
});

describeRule(config, 'order-on-user-order', {
  root: order,
  copies: [userOrder],
  change: { Status: 'SHIPPED', Total: 60 },
  expected: { Status: 'SHIPPED', Total: 60 },
  unconcerned: { Note: 'x', [GSI2.pk]: 'STATUS#PENDING', [GSI2.sk]: 'x' },
  others: [
    orderItem,
    { ...userOrder, [sk]: 'ORDER#2026-01-16', OrderId: '2' },
    { ...userOrder, [pk]: 'USER#43' },
  ],
  invalid: { UserId: undefined },
  onDelete: 'delete',
  onExpire: 'keep',
});

describeRule(config, 'order-date-on-items', {
  root: order,
  copies: [orderItem, { ...orderItem, [sk]: 'ITEM#2', ProductId: 'cup', [GSI3.pk]: 'PRODUCT#cup' }],
  change: { CreatedAt: '2026-01-16T00:00:00Z' },
  expected: [
    { [GSI3.pk]: 'PRODUCT#mug', [GSI3.sk]: 'SALE#2026-01-16T00:00:00Z' },
    { [GSI3.pk]: 'PRODUCT#cup', [GSI3.sk]: 'SALE#2026-01-16T00:00:00Z' },
  ],
  unconcerned: { Status: 'SHIPPED', Total: 1 },
  others: [
    userOrder,
    { ...orderItem, [sk]: 'NOTE#1' },
    { ...orderItem, [pk]: 'ORDER#2' },
    { ...orderItem, [sk]: 'ITEM#3', [type]: 'Gift' },
  ],
  invalid: { CreatedAt: undefined },
  onDelete: 'keep',
  onExpire: 'keep',
});
