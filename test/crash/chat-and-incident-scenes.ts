import type { Item } from '../../src/model/item.ts';
import { item, type Plain } from '../fixtures/model/items.ts';
import { each, type MakeScene } from './scene.ts';

type Attributes = Readonly<Record<string, Plain | undefined>>;

const incidentKey = { pk: 'acct_1#inc', sk: 'inc_1' };
const partition = 'acct_1#inc_1#incpart';
const open = { ID: 'inc_1', Title: 'It burns', State: 'OPEN', Number: 7, CreatedAt: 1614194921 };
const closed = { ...open, Title: undefined, State: 'CLOSED', Severity: 'high' };

function incident(said: Attributes): Item {
  return item({ PK: incidentKey.pk, SK: incidentKey.sk, ...said });
}

function participation(index: number, said: Attributes, sorted: string): Item {
  const own = { ParticipantID: `user_${index}`, GSI1PK: `acct_1#user_${index}#incpart`, GSI1SK: sorted };
  return item({ PK: partition, SK: `user_${index}`, ...own, ...said });
}

const openCopy = (index: number) => participation(index, open, 'OPEN#2021-02-24T19:28:41Z');
const closedCopy = (index: number) => participation(index, closed, 'CLOSED#2021-02-24T19:28:41Z');

const userKey = { pk: 'USER#1', sk: '#METADATA' };

function user(id: string, username: string): Item {
  return item({
    PK: `USER#${id}`,
    SK: '#METADATA',
    Type: 'User',
    userId: id,
    username,
    email: 'a@b.example',
  });
}

function membership(index: number, username: string, userId = '1'): Item {
  const ids = { serverId: String(index), userId, role: 'Member', username };
  const location = { GSI1PK: `USER#${userId}`, GSI1SK: `SERVER#${index}` };
  return item({ PK: `SERVER#${index}`, SK: 'USER#1', Type: 'Membership', ...ids, ...location });
}

/** By rule: what happens to its roots and copies. */
export const incidentScenes: Readonly<Record<string, MakeScene>> = {
  'an incident closes, gains an attribute and loses one': (copies) => ({
    before: [incident(open), ...each(copies, openCopy)],
    change: (table) => table.put(incident(closed)),
    after: [incident(closed), ...each(copies, closedCopy)],
  }),
  'participations join that were written from an older incident': (copies) => ({
    before: [incident(closed)],
    change: (table) => each(copies, (index) => table.put(openCopy(index))),
    after: [incident(closed), ...each(copies, closedCopy)],
  }),
  'an incident is deleted': (copies) => ({
    before: [incident(open), ...each(copies, openCopy)],
    change: (table) => table.delete(incidentKey),
    after: [],
  }),
  'an incident expires': (copies) => ({
    before: [incident(open), ...each(copies, openCopy)],
    change: (table) => table.expire(incidentKey),
    after: [],
  }),
  'an incident is deleted and put again': (copies) => ({
    before: [incident(open), ...each(copies, openCopy)],
    change(table) {
      table.delete(incidentKey);
      table.put(incident(closed));
    },
    after: [incident(closed), ...each(copies, closedCopy)],
  }),
};

export const chatScenes: Readonly<Record<string, MakeScene>> = {
  'a user is renamed, twice': (copies) => ({
    before: [user('1', 'John'), ...each(copies, (index) => membership(index, 'John'))],
    change(table) {
      table.put(user('1', 'Johnny'));
      table.put(user('1', 'Jack'));
    },
    after: [user('1', 'Jack'), ...each(copies, (index) => membership(index, 'Jack'))],
  }),
  'memberships are pointed at another user': (copies) => ({
    before: [user('1', 'John'), user('2', 'Ann'), ...each(copies, (index) => membership(index, 'John'))],
    change: (table) => each(copies, (index) => table.put(membership(index, 'John', '2'))),
    after: [user('1', 'John'), user('2', 'Ann'), ...each(copies, (index) => membership(index, 'Ann', '2'))],
  }),
  'a user is renamed and deleted': (copies) => ({
    before: [user('1', 'John'), ...each(copies, (index) => membership(index, 'John'))],
    change(table) {
      table.put(user('1', 'Jack'));
      table.delete(userKey);
    },
    after: each(copies, (index) => membership(index, 'John')),
  }),
  'a user expires, and memberships join': (copies) => ({
    before: [user('1', 'John'), ...each(copies - 1, (index) => membership(index, 'John'))],
    change(table) {
      table.expire(userKey);
      table.put(membership(copies - 1, 'Johnny'));
    },
    after: [...each(copies - 1, (index) => membership(index, 'John')), membership(copies - 1, 'Johnny')],
  }),
};
