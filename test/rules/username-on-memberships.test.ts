import { describeRule } from 'stream-denormalizer/testing';
import config from '../../denorm.config.ts';

describeRule(config, 'username-on-memberships', {
  root: {
    PK: 'USER#1',
    SK: '#METADATA',
    Type: 'User',
    userId: '1',
    username: 'John',
    email: 'user1@example.com',
  },
  copies: [aMembership('1', { role: 'Member' }), aMembership('2', { role: 'Admin' })],
  change: { username: 'Jane' },
  expected: { username: 'Jane' },
  unconcerned: { email: 'jane@example.com' },
  others: [
    aMembership('3', { userId: '2' }),
    aMembership('4', { GSI1PK: 'USER#2' }),
    { PK: 'NOTE#1', SK: 'NOTE', userId: '1', username: 'John', GSI1PK: 'USER#1', GSI1SK: 'NOTE#1' },
    { PK: 'SERVER#5', SK: '#METADATA', Type: 'Server', serverId: '5', name: 'Gaming' },
  ],
  onDelete: 'keep',
  onExpire: 'keep',
});

function aMembership(server: string, attributes: Readonly<Record<string, string>>) {
  return {
    PK: `SERVER#${server}`,
    SK: 'USER#1',
    Type: 'Membership',
    serverId: server,
    userId: '1',
    username: 'John',
    GSI1PK: 'USER#1',
    GSI1SK: `SERVER#${server}`,
    ...attributes,
  };
}
