/** The work of the benchmarks: the change of a root, and its copies as the stub DynamoDB serves them. */
import type { DynamoDBRecord } from 'aws-lambda';
import { type Item, type ItemKey, keyIn } from '../src/model/items/item.ts';
import { table } from '../src/table.ts';

/** A root that changes, and its copies. All of them are found by one query. */
export interface Fan {
  readonly before: Item;
  readonly after: Item;
  readonly copies: readonly Item[];
}

const numbers = ['Number', 'CreatedAt', 'UpdatedAt'];

/** What a warm function does: one root with 1,000 copies, all of which differ from it. */
export const work: Fan = closedIncident('one', 1_000, 1_000);

/** What a new container does first: one root with ten copies. */
export const firstWork: Fan = closedIncident('first', 10, 10);

/** A table for scans, a segment each: roots whose copies are right. */
export const segments = {
  /** 10 roots with 99 copies each. */
  large: Array.from({ length: 8 }, (_, index) => rightFans(`large${index}`, 10, 99)),
  /** 100 roots with four copies each. */
  small: Array.from({ length: 4 }, (_, index) => rightFans(`small${index}`, 100, 4)),
};

function rightFans(id: string, roots: number, copies: number): Fan[] {
  return Array.from({ length: roots }, (_, index) => closedIncident(`${id}-${index}`, copies, 0));
}

/** The change of the root as Lambda delivers it. */
export function recordsOf({ before, after }: Fan): DynamoDBRecord[] {
  return [
    {
      eventID: '1',
      eventName: 'MODIFY',
      eventSource: 'aws:dynamodb',
      awsRegion: 'eu-central-1',
      dynamodb: {
        ApproximateCreationDateTime: 1_614_194_982,
        Keys: { [table.pk]: keyAttribute(after, 'pk'), [table.sk]: keyAttribute(after, 'sk') },
        NewImage: mutable(after),
        OldImage: mutable(before),
        SequenceNumber: '1',
        SizeBytes: 743,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    },
  ];
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
