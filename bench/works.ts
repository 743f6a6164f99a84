/** The works of the benchmark: changes of roots, and their copies as the stub DynamoDB serves them. */
import type { DynamoDBRecord } from 'aws-lambda';
import { z } from 'zod';
import { type Item, type ItemKey, keyIn } from '../src/model/item.ts';
import { table } from '../src/table.ts';

/** A root that changes, and its copies. All of them are found by one query. */
export interface Fan {
  readonly before: Item;
  readonly after: Item;
  readonly copies: readonly Item[];
}

export interface Work {
  readonly title: string;
  /** Where the copies are: the partition of the first key, or the partition of the index. */
  readonly found: 'partition' | 'index';
  readonly fans: readonly Fan[];
  /** How many copies differ from their root. */
  readonly differing: number;
}

export const workNames = ['one-root', 'many-roots', 'by-index', 'mostly-right'] as const;
export const workName = z.enum(workNames);
export type WorkName = z.output<typeof workName>;

const numbers = ['Number', 'CreatedAt', 'UpdatedAt'];

export const works: Readonly<Record<WorkName, Work>> = {
  'one-root': {
    title: 'one root with 1,000 copies',
    found: 'partition',
    fans: [closedIncident('one', 1_000, 1_000)],
    differing: 1_000,
  },
  'many-roots': {
    title: '200 roots in one batch, with 5 copies each',
    found: 'partition',
    fans: Array.from({ length: 200 }, (_, index) => closedIncident(`many${index}`, 5, 5)),
    differing: 1_000,
  },
  'by-index': {
    title: 'one root with 1,000 copies, found by an index',
    found: 'index',
    fans: [renamedUser('42', 1_000)],
    differing: 1_000,
  },
  'mostly-right': {
    title: 'one root with 1,000 copies, of which 997 are right',
    found: 'partition',
    fans: [closedIncident('right', 1_000, 3)],
    differing: 3,
  },
};

export function copiesOf({ fans }: Work): number {
  return fans.reduce((sum, { copies }) => sum + copies.length, 0);
}

export function recordsOf({ fans }: Work): DynamoDBRecord[] {
  return fans.map(({ before, after }, index) => ({
    eventID: String(index),
    eventName: 'MODIFY',
    eventSource: 'aws:dynamodb',
    awsRegion: 'eu-central-1',
    dynamodb: {
      ApproximateCreationDateTime: 1_614_194_982,
      Keys: { [table.pk]: keyAttribute(after, 'pk'), [table.sk]: keyAttribute(after, 'sk') },
      NewImage: mutable(after),
      OldImage: mutable(before),
      SequenceNumber: String(index + 1),
      SizeBytes: 743,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  }));
}

/** An incident that is closed. Some of its participations still say that it is open. */
export function closedIncident(id: string, copies: number, differing: number): Fan {
  const root = { PK: 'acct_1eSuXwHoigx1WzTqBimRK2mvvEj#inc', SK: `inc_${id}` };
  const open = incident(id, 'OPEN', 'TRIGGERED', '1614194921');
  const closed = incident(id, 'CLOSED', 'RESOLVED', '1614194982');
  const participation = (state: Record<string, string>, sortKey: string, index: number) =>
    item({
      PK: `acct_1eSuXwHoigx1WzTqBimRK2mvvEj#inc_${id}#incpart`,
      SK: `user_${String(index).padStart(5, '0')}`,
      ParticipantID: `user_${String(index).padStart(5, '0')}`,
      GSI1PK: `acct_1eSuXwHoigx1WzTqBimRK2mvvEj#user_${index}`,
      GSI1SK: sortKey,
      ...state,
    });
  return {
    before: item({ ...root, ...open }),
    after: item({ ...root, ...closed }),
    copies: Array.from({ length: copies }, (_, index) =>
      index < differing
        ? participation(open, 'OPEN#2021-02-24T19:28:41Z', index)
        : participation(closed, 'CLOSED#2021-02-24T19:28:41Z', index),
    ),
  };
}

function incident(id: string, state: string, status: string, updatedAt: string): Record<string, string> {
  return {
    ID: `inc_${id}`,
    Title: 'Application error rate exceeded 1%',
    Status: status,
    State: state,
    Number: '859',
    CreatedAt: '1614194921',
    UpdatedAt: updatedAt,
  };
}

function renamedUser(id: string, copies: number): Fan {
  const user = (username: string) =>
    item({
      PK: `USER#${id}`,
      SK: '#METADATA',
      Type: 'User',
      userId: id,
      username,
      email: 'ada@example.com',
    });
  return {
    before: user('ada'),
    after: user('countess'),
    copies: Array.from({ length: copies }, (_, index) =>
      item({
        PK: `SERVER#${index}`,
        SK: `USER#${id}`,
        Type: 'Membership',
        serverId: String(index),
        userId: id,
        role: 'member',
        username: 'ada',
        GSI1PK: `USER#${id}`,
        GSI1SK: `SERVER#${index}`,
      }),
    ),
  };
}

function item(attributes: Readonly<Record<string, string>>): Item {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      numbers.includes(name) ? { N: value } : { S: value },
    ]),
  );
}

function keyAttribute(of: Item, part: keyof ItemKey): { S: string } {
  return { S: keyIn(table, of)[part] };
}

/** The images in the types of Lambda, whose values are mutable. */
function mutable(image: Item): NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']> {
  return structuredClone(image) as ReturnType<typeof mutable>;
}
