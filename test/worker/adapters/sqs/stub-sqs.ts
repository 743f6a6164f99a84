import { createHash } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { loopbackClientSettings } from '../../../../src/develop/dev/loopback.ts';
import { loopbackServer, type ServerAnswer, type ServerRequest } from '../../../suites/loopback-server.ts';

const entrySchema = z.object({
  Id: z.string().regex(/^[\w-]{1,80}$/),
  MessageBody: z.string().min(1),
  DelaySeconds: z.int().min(0).max(900).optional(),
  MessageAttributes: z
    .record(z.string(), z.object({ DataType: z.literal('String'), StringValue: z.string().min(1) }))
    .optional(),
});
const requestSchema = z.object({ QueueUrl: z.url(), Entries: z.array(entrySchema) });

export type SentEntry = z.output<typeof entrySchema>;
export type SentBatch = z.output<typeof requestSchema>;

/** The answer to a request: as a whole, or for some entries. Codes `Sender.X` are the sender’s fault. */
export type PlannedFailure =
  | { readonly status: number; readonly type: string }
  | { readonly entries: Readonly<Record<number, string>> };

export interface StubSqs {
  readonly client: SQSClient;
  readonly fanOutUrl: string;
  readonly deadLetterUrl: string;
  readonly batches: readonly SentBatch[];
  /** The current entries of a queue. */
  standing(queueUrl: string): readonly SentEntry[];
  /** Plans the answers to the next requests, in order. */
  answerNext(...failures: readonly PlannedFailure[]): void;
  close(): Promise<void>;
}

/** The part of SQS that sending needs, on the wire: its limits, and failures on demand. */
export async function stubSqs(): Promise<StubSqs> {
  const queues = new Map<string, SentEntry[]>();
  const batches: SentBatch[] = [];
  const next: PlannedFailure[] = [];

  function answer(request: ServerRequest): ServerAnswer {
    const batch = requestSchema.parse(JSON.parse(request.body.toString()));
    batches.push(batch);
    const planned = next.shift();
    if (planned !== undefined && 'status' in planned) return json(planned.status, { __type: planned.type });
    if (batch.Entries.length === 0) return json(400, { __type: 'com.amazonaws.sqs#EmptyBatchRequest' });
    if (batch.Entries.length > 10)
      return json(400, { __type: 'com.amazonaws.sqs#TooManyEntriesInBatchRequest' });
    if (Buffer.byteLength(batch.Entries.map(({ MessageBody }) => MessageBody).join('')) > 1024 * 1024)
      return json(400, { __type: 'com.amazonaws.sqs#BatchRequestTooLong' });
    return json(200, answerEntries(batch, planned?.entries ?? {}));
  }

  function answerEntries({ QueueUrl, Entries }: SentBatch, planned: Readonly<Record<number, string>>) {
    const Successful = [];
    const Failed = [];
    for (const [index, entry] of Entries.entries()) {
      // Source: AWS, SendMessageBatch, the characters of a message.
      const illegal = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(entry.MessageBody);
      const code = illegal ? 'Sender.InvalidMessageContents' : planned[index];
      if (code === undefined) {
        queues.set(QueueUrl, [...(queues.get(QueueUrl) ?? []), entry]);
        const MD5OfMessageBody = createHash('md5').update(entry.MessageBody).digest('hex');
        Successful.push({ Id: entry.Id, MessageId: entry.Id, MD5OfMessageBody });
      } else {
        Failed.push({
          Id: entry.Id,
          Code: code.replace('Sender.', ''),
          SenderFault: code.startsWith('Sender.'),
        });
      }
    }
    return { Successful, Failed };
  }

  const server = await loopbackServer(answer);
  const client = new SQSClient({
    ...loopbackClientSettings(server.endpoint),
    maxAttempts: 1,
  });
  return {
    client,
    fanOutUrl: `${server.endpoint}/123456789012/fan-out`,
    deadLetterUrl: `${server.endpoint}/123456789012/dead-letters`,
    batches,
    standing: (queueUrl) => queues.get(queueUrl) ?? [],
    answerNext(...failures) {
      next.push(...failures);
    },
    async close() {
      client.destroy();
      await server.close();
    },
  };
}

function json(status: number, content: object): ServerAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(content) };
}
