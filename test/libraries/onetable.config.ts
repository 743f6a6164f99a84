import { defineConfig, defineKind, defineRule, type TableNames } from 'stream-denormalizer';
import * as z from 'zod';

const gs1 = { name: 'gs1', pk: 'gs1pk', sk: 'gs1sk' } as const;

const table = {
  pk: 'pk',
  sk: 'sk',
  indexes: { gs1 },
  ttl: 'expires',
  type: '_type',
} as const satisfies TableNames;

const user = defineKind({
  name: 'User',
  type: 'User',
  pk: 'user#{user}',
  sk: 'user#',
  attributes: z.object({ name: z.string(), born: z.number().optional() }),
});

const team = defineKind({
  name: 'Team',
  type: 'Team',
  pk: 'team#{team}',
  sk: 'team#',
  attributes: z.object({ name: z.string() }),
});

const member = defineKind({
  name: 'Member',
  type: 'Member',
  pk: 'team#{team}',
  sk: 'member#{user}',
  attributes: z.object({
    ...{ created: z.number(), updated: z.number(), teamId: z.string(), teamName: z.string().optional() },
  }),
});

const userOnMembers = defineRule({
  name: 'user-on-members',
  root: user,
  copy: member,
  located: { in: 'index', index: gs1, at: ({ ids }) => ({ pk: user.pk(ids), begins: 'member#' }) },
  rootOf: ({ ids }) => user.key(ids),
  copies: 'all',
  own: ['created', 'updated', 'teamId', 'teamName'],
  onDelete: 'delete',
  onExpire: 'delete',
});

const teamOnMembers = defineRule({
  name: 'team-on-members',
  root: team,
  copy: member,
  located: { in: 'partition', at: ({ ids }) => ({ pk: team.pk(ids), begins: 'member#' }) },
  rootOf: ({ ids }) => team.key(ids),
  copies: { name: 'teamName' },
  onDelete: 'delete',
  onExpire: 'delete',
});

export default defineConfig({ table, rules: [userOnMembers, teamOnMembers] });
