import { describeRule } from 'stream-denormalizer/testing';
import config from '../../denorm.config.ts';
import { GSI1, table } from '../../src/table.ts';

const { pk, sk, type } = table;

const user = {
  ...{ [pk]: 'USER#1', [sk]: '#METADATA', [type]: 'User' },
  ...{ userId: '1', username: 'John', email: 'john@example.com' },
};
const membership = {
  ...{ [pk]: 'SERVER#1', [sk]: 'USER#1', [type]: 'Membership' },
  ...{ serverId: '1', userId: '1', role: 'Member', username: 'John' },
  ...{ [GSI1.pk]: 'USER#1', [GSI1.sk]: 'SERVER#1' },
};

describeRule(config, 'username-on-memberships', {
  root: user,
  copies: [membership, { ...membership, [pk]: 'SERVER#2', serverId: '2', [GSI1.sk]: 'SERVER#2' }],
  change: { username: 'Jane' },
  expected: { username: 'Jane' },
  unconcerned: { email: 'jane@example.com' },
  others: [
    { ...membership, [sk]: 'USER#2', userId: '2', [GSI1.pk]: 'USER#2' },
    { ...membership, [pk]: 'SERVER#3', serverId: '3', [GSI1.pk]: 'USER#2' },
    { [pk]: 'NOTE#1', [sk]: 'NOTE', userId: '1', username: 'John', [GSI1.pk]: 'USER#1', [GSI1.sk]: 'NOTE#1' },
  ],
  onDelete: 'keep',
  onExpire: 'keep',
});
