import { defineRule } from 'stream-denormalizer';
import { GSI1 } from '../table.ts';
import { membership, user } from './chat-items.ts';

/** Copies a user's name to the user's memberships. Memberships outlive their user. */
export const usernameOnMemberships = defineRule({
  name: 'username-on-memberships',
  root: user,
  copy: membership,
  reads: { copy: ['userId'] },
  located: { in: 'index', index: GSI1, at: ({ ids }) => ({ pk: `USER#${ids.user}`, begins: 'SERVER#' }) },
  rootOf: ({ userId }) => user.key({ user: userId }),
  copies: ['username'],
  onDelete: 'keep',
  onExpire: 'keep',
});
