import { describeRule } from 'stream-denormalizer/testing';
import config from '../denorm.config.ts';
import { table } from '../src/table.ts';

const { pk, type } = table;

const team = { [pk]: 'TEAM#1', [type]: 'Team', teamName: 'Blue' };
const member = {
  ...{ [pk]: 'MEMBER#1', [type]: 'Member', teamId: '1' },
  ...{ teamName: 'Blue', memberName: 'Ada' },
};

describeRule(config, 'team-name-on-members', {
  root: team,
  copies: [member],
  change: { teamName: 'Red' },
  expected: { teamName: 'Red' },
  others: [{ ...member, [pk]: 'MEMBER#2', teamId: '2' }],
});
