import { defineKind } from 'stream-denormalizer';
import * as z from 'zod/mini';

/** The root of a user's memberships. */
export const user = defineKind({
  name: 'User',
  type: 'User',
  pk: 'USER#{user}',
  sk: '#METADATA',
  attributes: z.object({ userId: z.string(), username: z.string(), email: z.string() }),
});

/** A user's membership of a server. It holds a copy of the username. */
export const membership = defineKind({
  name: 'Membership',
  type: 'Membership',
  pk: 'SERVER#{server}',
  sk: 'USER#{member}',
  attributes: z.object({ serverId: z.string(), userId: z.string(), role: z.string(), username: z.string() }),
});
