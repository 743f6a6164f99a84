import { defineKind } from 'stream-denormalizer';
import * as z from 'zod/mini';
import { GSI2, GSI3 } from '../table.ts';

/** The root of a user's order, and of the time of its items in GSI3. Its GSI2 keys are derived. */
export const order = defineKind({
  name: 'Order',
  type: 'Order',
  pk: 'ORDER#{order}',
  sk: 'METADATA',
  attributes: z.object({
    UserId: z.string().check(z.minLength(1)),
    Status: z.string().check(z.minLength(1)),
    Total: z.number(),
    CreatedAt: z.string().check(z.minLength(1)),
    [GSI2.pk]: z.string(),
    [GSI2.sk]: z.string(),
  }),
  examples: [
    { Status: 'PENDING', CreatedAt: '2026-01-15T09:30:00.123456' },
    { Status: 'DELIVERED', CreatedAt: '2024-01-16' },
  ],
});

/** The copy of an order in its user's partition. Two orders of the same instant share the key; `OrderId` names the root. */
export const userOrder = defineKind({
  name: 'UserOrder',
  type: 'UserOrder',
  pk: 'USER#{user}',
  sk: 'ORDER#{createdAt}',
  attributes: z.object({ OrderId: z.string().check(z.minLength(1)), Status: z.string(), Total: z.number() }),
});

/** A product in an order. Its GSI3 keys are derived. */
export const orderItem = defineKind({
  name: 'OrderItem',
  type: 'OrderItem',
  pk: 'ORDER#{order}',
  sk: 'ITEM#{item}',
  attributes: z.object({
    ProductId: z.string().check(z.minLength(1)),
    ProductName: z.string(),
    Price: z.number(),
    Quantity: z.number(),
    [GSI3.pk]: z.string(),
    [GSI3.sk]: z.string(),
  }),
});

export const userProfile = defineKind({
  name: 'UserProfile',
  type: 'UserProfile',
  pk: 'USER#{user}',
  sk: 'PROFILE',
  attributes: z.object({ Email: z.string(), Name: z.string() }),
});

/** ISO 8601: a date, optionally with a time and an offset. */
const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?(Z|[+-]\d{2}:?\d{2})?$/i;

/** The time of a `CreatedAt` in epoch milliseconds, UTC if it has no offset; NaN if it is invalid. */
export function instantOf(createdAt: string): number {
  const [, date, time = '00:00', offset = 'Z'] = iso.exec(createdAt) ?? [];
  return Date.parse(`${date}T${time}${offset.replace(/^(.\d\d)(\d\d)$/, '$1:$2')}`);
}
