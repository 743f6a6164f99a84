import { defineRule } from 'stream-denormalizer';
import { member, team } from '../items.ts';
import { byTeam } from '../table.ts';

/** Copies a team's name to its members. They are found by an index, and outlive the team. */
export const teamNameOnMembers = defineRule({
  name: 'team-name-on-members',
  root: team,
  copy: member,
  reads: { copy: ['teamId'] },
  located: { in: 'index', index: byTeam, at: ({ ids }) => ({ pk: ids.team }) },
  rootOf: ({ teamId }) => team.key({ team: teamId }),
  copies: ['teamName'],
  onDelete: 'keep',
  onExpire: 'keep',
});
