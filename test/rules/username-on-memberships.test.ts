import { item, type Plain } from '../fixtures/model/items.ts';
import { only } from '../fixtures/rules/only.ts';
import { conformingRule } from '../suites/rule.suite.ts';

const user = {
  PK: 'USER#1',
  SK: '#METADATA',
  Type: 'User',
  userId: '1',
  username: 'John',
  email: 'user1@example.com',
};

conformingRule({
  rule: 'username-on-memberships',
  registry: only('username-on-memberships'),
  root: item(user),
  copies: [aMembership('1', { role: 'Member' }), aMembership('2', { role: 'Admin' })],
  changed: item({ ...user, username: 'Jane' }),
  followed: [
    aMembership('1', { role: 'Member', username: 'Jane' }),
    aMembership('2', { role: 'Admin', username: 'Jane' }),
  ],
  unconcerned: item({ ...user, email: 'jane@example.com' }),
  foreign: [
    aMembership('3', { userId: '2' }),
    aMembership('4', { GSI1PK: 'USER#2' }),
    item({ PK: 'NOTE#1', SK: 'NOTE', userId: '1', username: 'John', GSI1PK: 'USER#1', GSI1SK: 'NOTE#1' }),
    item({ PK: 'SERVER#5', SK: '#METADATA', Type: 'Server', serverId: '5', name: 'Gaming' }),
  ],
  afterDelete: [aMembership('1', { role: 'Member' }), aMembership('2', { role: 'Admin' })],
  afterExpiry: [aMembership('1', { role: 'Member' }), aMembership('2', { role: 'Admin' })],
});

function aMembership(server: string, attributes: Readonly<Record<string, Plain>>) {
  return item({
    PK: `SERVER#${server}`,
    SK: 'USER#1',
    Type: 'Membership',
    serverId: server,
    userId: '1',
    username: 'John',
    GSI1PK: 'USER#1',
    GSI1SK: `SERVER#${server}`,
    ...attributes,
  });
}
