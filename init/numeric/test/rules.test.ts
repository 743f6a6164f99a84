import { describeRule } from 'stream-denormalizer/testing';
import config from '../denorm.config.ts';
import { table } from '../src/table.ts';

const { pk, sk, type } = table;

const team = { [pk]: 'TEAM#1', [sk.name]: 0, [type]: 'Team', teamName: 'Blue' };
const member = {
  ...{ [pk]: 'TEAM#1', [sk.name]: 1_764_028_800, [type]: 'Member' },
  ...{ teamName: 'Blue', memberName: 'Ada' },
};

describeRule(config, 'team-name-on-members', {
  root: team,
  copies: [member],
  change: { teamName: 'Red' },
  expected: { teamName: 'Red' },
  others: [{ ...member, [pk]: 'TEAM#2' }],
});
