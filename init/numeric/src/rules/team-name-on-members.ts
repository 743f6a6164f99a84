import { defineRule } from 'stream-denormalizer';
import { member, team } from '../items.ts';

/** Copies a team's name to its members. They are found by a query of the team's partition, and outlive the team. */
export const teamNameOnMembers = defineRule({
  name: 'team-name-on-members',
  root: team,
  copy: member,
  located: { in: 'partition', at: ({ ids }) => ({ pk: member.pk(ids), from: 1 }) },
  rootOf: ({ ids }) => team.key(ids),
  copies: ['teamName'],
  onDelete: 'keep',
  onExpire: 'keep',
});
