import { createHash } from 'node:crypto';
import * as z from 'zod';
import { loopbackServer, type ServerAnswer, type ServerRequest } from '../suites/loopback-server.ts';

/** How a service responds: normally, unavailable for now, or access denied. */
export type Mood = 'well' | 'away' | 'denies';

const entries = z.object({
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })).default([]),
});
const page = { Items: [], Count: 0, ScannedCount: 0, Responses: {}, UnprocessedKeys: {} };

/**
 * The parts of DynamoDB, SQS and S3 that the functions need, on one port of 127.0.0.1: a table that contains `scanned`, an
 * empty bucket, and queues that accept all messages. The table refuses statements but accepts UpdateItem.
 */
export async function stubServices(moods: {
  table: Mood;
  queue: Mood;
  /** Items in DynamoDB JSON that every read of the table `app` returns. */
  readonly scanned?: readonly Record<string, unknown>[];
}) {
  return loopbackServer((request) => {
    const target = String(request.headers['x-amz-target'] ?? '');
    if (target.startsWith('AmazonSQS.')) return answer(moods.queue, () => sent(request));
    if (target.startsWith('DynamoDB_')) return answer(moods.table, () => found(target, moods.scanned ?? []));
    if (request.method === 'PUT') return { status: 200, headers: { etag: '"1"' } };
    return { status: 404, body: '<Error><Code>NoSuchKey</Code><Message>Not here</Message></Error>' };
  });
}

function answer(mood: Mood, result: () => unknown): ServerAnswer {
  const [status, body] = {
    well: () => [200, result()] as const,
    away: () => [503, { __type: 'ServiceUnavailable', message: 'away' }] as const,
    denies: () => [400, { __type: 'AccessDeniedException', message: 'denied' }] as const,
  }[mood]();
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(body) };
}

function sent({ body }: ServerRequest) {
  const { Entries } = entries.parse(JSON.parse(body.toString()));
  return {
    Successful: Entries.map(({ Id, MessageBody }) => ({
      ...{ Id, MessageId: Id, MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') },
    })),
    Failed: [],
  };
}

function found(target: string, items: readonly Record<string, unknown>[]) {
  if (target.endsWith('.BatchExecuteStatement'))
    return { Responses: [{ Error: { Code: 'ValidationError', Message: 'Unexpected keyword' } }] };
  if (target.endsWith('.BatchGetItem')) return { ...page, Responses: { app: items } };
  if (!/\.(Scan|Query|GetItem)$/.test(target)) return page;
  return { ...page, Items: items, Count: items.length, ScannedCount: items.length, Item: items[0] };
}
