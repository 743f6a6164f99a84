import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import config from '../../../denorm.config.ts';
import type { Remaining } from '../../../src/worker/lambda/clients.ts';
import {
  archiveHandler,
  fanOutHandler,
  heartbeatHandler,
  propagateHandler,
  sweepHandler,
  verifyHandler,
} from '../../../src/worker/lambda/index.ts';

/** A function, and an event that makes it use each of its settings. */
export interface FunctionUnderTest {
  /** Starts the function, with the settings of the process's environment. */
  readonly start: () => (invocation: Remaining) => Promise<unknown>;
  /** What the table contains, in DynamoDB JSON. */
  readonly stored: readonly Image[];
}

type Image = NonNullable<NonNullable<DynamoDBStreamEvent['Records'][number]['dynamodb']>['NewImage']>;
type Named = 'INSERT' | 'MODIFY' | 'REMOVE';

const at = 1_700_000_000;

/** A record of an item whose images follow each other. */
function record(SequenceNumber: string, eventName: Named, { PK, SK, ...others }: Image, before?: Image) {
  const image = { ...(PK && { PK }), ...(SK && { SK }), ...others };
  return {
    ...{ eventID: SequenceNumber, eventName, eventSource: 'aws:dynamodb' },
    dynamodb: {
      ...{ ApproximateCreationDateTime: at, SequenceNumber, StreamViewType: 'NEW_AND_OLD_IMAGES' as const },
      Keys: { ...(PK && { PK }), ...(SK && { SK }) },
      ...(eventName !== 'REMOVE' && { NewImage: image }),
      ...(eventName === 'REMOVE' && { OldImage: image }),
      ...(before && { OldImage: { ...image, ...before } }),
    },
  };
}

const expired = { ExpiresAt: { N: String(at - 1) } };
const user = {
  ...{ PK: { S: 'USER#1' }, SK: { S: '#METADATA' }, Type: { S: 'User' } },
  ...{ userId: { S: '1' }, username: { S: 'ada' }, email: { S: 'ada@example.com' } },
};
/** More than need no pace. */
const memberships = Array.from({ length: 30 }, (_, index) => ({
  ...{ PK: { S: `SERVER#${index}` }, SK: { S: 'USER#1' }, Type: { S: 'Membership' } },
  ...{ serverId: { S: String(index) }, userId: { S: '1' }, role: { S: 'guest' }, username: { S: 'eve' } },
  ...{ GSI1PK: { S: 'USER#1' }, GSI1SK: { S: `SERVER#${index}` } },
}));
/** A copy that its root has not reached. */
export const drifted = { ...memberships[0], PK: { S: 'SERVER#x' } };
const order = {
  ...{ PK: { S: 'ORDER#1' }, SK: { S: 'METADATA' }, Type: { S: 'Order' }, UserId: { S: '1' } },
  ...{ Status: { S: 'PAID' }, Total: { N: '1' }, CreatedAt: { S: '2026-01-15' }, ...expired },
};
const invalidOrder = { ...order, PK: { S: 'ORDER#2' }, Status: { N: '2' } };
const userOrder = {
  ...{ PK: { S: 'USER#1' }, SK: { S: 'ORDER#2026-01-15' }, Type: { S: 'UserOrder' } },
  ...{ OrderId: { S: '1' }, Status: { S: 'PAID' }, Total: { N: '1' } },
};
const profile = {
  ...{ PK: { S: 'USER#1' }, SK: { S: 'PROFILE' }, Type: { S: 'UserProfile' } },
  ...{ Email: { S: 'ada@example.com' }, Name: { S: 'Ada' }, ...expired },
};
const incident = {
  ...{ PK: { S: 'acct_A#inc' }, SK: { S: 'inc_1' }, State: { S: 'CLOSED' }, CreatedAt: { N: '1600000000' } },
};

/** One is late, with a later one that has arrived. */
const seconds = Math.floor(Date.now() / 1000);
const beats = {
  ...{ PK: { S: '~denorm#HEARTBEAT' }, SK: { S: 'HEARTBEAT' } },
  ...{ [`fan-out:${seconds - 500}`]: { BOOL: true }, 'arrived:fan-out': { N: String(seconds - 400) } },
};
const pauses = {
  ...{ PK: { S: '~denorm#PAUSES' }, SK: { S: 'PAUSES' } },
  'paused:username-on-memberships': { S: '1970-01-02T00:00:00.000Z' },
};

/** Two orders of one batch, each with one write. */
const orders = ['3', '4'].map((id) => ({
  ...order,
  PK: { S: `ORDER#${id}` },
  ExpiresAt: { N: '2000000000' },
}));

const stream = (...Records: ReturnType<typeof record>[]): DynamoDBStreamEvent => ({ Records });

function queue(...messages: object[]): SQSEvent {
  return {
    Records: messages.map((message, index) => ({
      ...{ messageId: String(index), eventSource: 'aws:sqs', body: JSON.stringify(message) },
      receiptHandle: '',
      messageAttributes: {},
      md5OfBody: '',
      eventSourceARN: '',
      awsRegion: 'us-east-1',
      attributes: {
        ...{ ApproximateReceiveCount: '1', SentTimestamp: '0', SenderId: '' },
        ApproximateFirstReceiveTimestamp: '0',
      },
    })),
  };
}

const renamed = {
  rule: 'username-on-memberships',
  root: { pk: 'USER#1', sk: '#METADATA' },
  cause: 'changed',
  attempts: 0,
};

export const functions = {
  Propagate: {
    start: () => {
      const handler = propagateHandler(config);
      const event = stream(
        record('1', 'MODIFY', user, { username: { S: 'eve' } }),
        record('2', 'INSERT', invalidOrder),
        record('3', 'REMOVE', order),
        ...orders.map((one, index) => record(String(4 + index), 'INSERT', one)),
      );
      return (invocation) => handler(event, invocation);
    },
    stored: [user, ...memberships, userOrder, invalidOrder, ...orders],
  },
  FanOut: {
    start: () => {
      const handler = fanOutHandler(config);
      const event = queue(renamed, { ...renamed, rule: 'no-such-rule' });
      return (invocation) => handler(event, invocation);
    },
    stored: [user, ...memberships],
  },
  Archive: {
    start: () => {
      const handler = archiveHandler(config);
      const event = stream(
        record('1', 'INSERT', profile),
        record('2', 'REMOVE', { ...profile, PK: { S: 'USER#2' } }),
        record('3', 'INSERT', {}),
      );
      return (invocation) => handler(event, invocation);
    },
    stored: [profile],
  },
  Sweep: {
    start: () => {
      const handler = sweepHandler(config);
      return (invocation) => handler({}, invocation);
    },
    stored: [incident],
  },
  Verify: {
    start: () => {
      const handler = verifyHandler(config);
      return (invocation) => handler({}, invocation);
    },
    stored: [user, { ...memberships[0], username: { S: 'ada' } }],
  },
  Heartbeat: {
    start: () => {
      const handler = heartbeatHandler(config);
      return (invocation) => handler({}, invocation);
    },
    stored: [beats, pauses],
  },
} as const satisfies Record<string, FunctionUnderTest>;
