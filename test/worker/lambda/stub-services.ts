import { createHash } from 'node:crypto';
import * as z from 'zod';
import {
  type LoopbackServer,
  loopbackServer,
  type ServerAnswer,
  type ServerRequest,
} from '../../suites/loopback-server.ts';

/** How a service responds: normally, unavailable for now, access denied, or never. */
export type Mood = 'well' | 'away' | 'denies' | 'silent';

type Attributes = Readonly<Record<string, unknown>>;

export interface Services {
  table: Mood;
  queue: Mood;
  bucket: Mood;
  /** Items in DynamoDB JSON. Each table contains them; a scan finds them in its first segment, and then an empty page. */
  stored: readonly Attributes[];
}

export const allWell: Services = { table: 'well', queue: 'well', bucket: 'well', stored: [] };

const attributes = z.record(z.string(), z.unknown());
const bodySchema = z.object({
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })).default([]),
  Statements: z.array(z.unknown()).default([]),
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(attributes) })).default({}),
  Key: attributes.optional(),
  Segment: z.number().optional(),
  ExclusiveStartKey: attributes.optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
  ExpressionAttributeValues: attributes.default({}),
});

export interface StubServices extends LoopbackServer {
  /** All requests, and those of them that get no answer. */
  readonly requests: ServerRequest[];
  readonly unanswered: ServerRequest[];
}

/** The parts of DynamoDB, SQS and S3 that the functions need, on one port of 127.0.0.1: a table, an empty bucket, and queues. */
export async function stubServices(services: Services): Promise<StubServices> {
  const requests: ServerRequest[] = [];
  const unanswered: ServerRequest[] = [];
  const server = await loopbackServer((request) => {
    requests.push(request);
    const service = serviceOf(request);
    if (services[service] === 'silent') {
      unanswered.push(request);
      return new Promise(() => {});
    }
    if (service === 'queue') return answer(services.queue, () => sent(askedIn(request).Entries));
    if (service === 'table') return answer(services.table, () => found(request, services));
    if (services.bucket === 'away') return { status: 503 };
    return inEmptyBucket(request.method);
  });
  return { ...server, requests, unanswered };
}

/** The environment of a function that talks to them. */
export function environmentOn(endpoint: string): Readonly<Record<string, string>> {
  const queue = `${endpoint}/000000000000/queue`;
  return {
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    ...{ AWS_ENDPOINT_URL: endpoint, FAN_OUT_QUEUE_URL: queue, DEAD_LETTER_QUEUE_URL: queue },
    ...{ TABLE_NAME: 'app', ARCHIVE_BUCKET: 'archive' },
  };
}

function serviceOf({ headers }: ServerRequest): 'table' | 'queue' | 'bucket' {
  const target = headers['x-amz-target'];
  if (target === undefined) return 'bucket';
  return String(target).startsWith('AmazonSQS.') ? 'queue' : 'table';
}

function answer(mood: Mood, result: () => unknown): ServerAnswer {
  const [status, body] =
    mood === 'away'
      ? [503, { __type: 'ServiceUnavailable', message: 'away' }]
      : mood === 'denies'
        ? [400, { __type: 'AccessDeniedException', message: 'denied' }]
        : [200, result()];
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(body) };
}

function askedIn({ body }: ServerRequest) {
  return bodySchema.parse(JSON.parse(body.toString()));
}

/** The answer of a bucket that takes all objects and holds none. */
export function inEmptyBucket(method: string): ServerAnswer {
  if (method === 'PUT') return { status: 200, headers: { etag: '"1"' } };
  return { status: 404, body: '<Error><Code>NoSuchKey</Code><Message>Not here</Message></Error>' };
}

/** The answer of a queue that takes all messages. */
export function sent(entries: readonly { readonly Id: string; readonly MessageBody: string }[]) {
  return {
    Successful: entries.map(({ Id, MessageBody }) => ({
      ...{ Id, MessageId: Id, MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') },
    })),
    Failed: [],
  };
}

function found(request: ServerRequest, { stored }: Services) {
  const asked = askedIn(request);
  const withAll = (wanted: Attributes) =>
    stored.filter((item) =>
      Object.entries(wanted).every(([name, value]) => JSON.stringify(item[name]) === JSON.stringify(value)),
    );
  switch (String(request.headers['x-amz-target']).replace(/.*\./, '')) {
    case 'Scan': {
      // At a low price, so that a test of a small budget does not wait.
      const page = { ConsumedCapacity: { CapacityUnits: 0.1 } };
      const last = stored.at(-1);
      if (asked.Segment !== 0 || asked.ExclusiveStartKey !== undefined || last === undefined)
        return { ...page, ...pageOf([]) };
      return { ...page, ...pageOf(stored), LastEvaluatedKey: { PK: last['PK'], SK: last['SK'] } };
    }
    case 'Query': {
      const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = asked;
      return pageOf(withAll({ [names['#pk'] ?? '']: values[':pk'] }));
    }
    case 'GetItem':
      return { Item: withAll(asked.Key ?? {})[0] };
    case 'BatchGetItem':
      return {
        Responses: Object.fromEntries(
          Object.entries(asked.RequestItems).map(([name, { Keys }]) => [name, Keys.flatMap(withAll)]),
        ),
        UnprocessedKeys: {},
      };
    case 'BatchExecuteStatement':
      return {
        Responses: asked.Statements.map(() => ({})),
      };
    default:
      return {};
  }
}

function pageOf(items: readonly Attributes[]) {
  return { Items: items, Count: items.length, ScannedCount: items.length };
}
