import { createHash, randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import {
  type Served,
  type ServerAnswer,
  type ServerRequest,
  served,
} from '../../../suites/loopback-server.ts';

const entrySchema = z.object({
  Id: z.string().regex(/^[\w-]{1,80}$/),
  MessageBody: z.string().min(1).optional(),
  DelaySeconds: z.int().min(0).max(900).optional(),
  MessageAttributes: z
    .record(z.string(), z.object({ DataType: z.literal('String'), StringValue: z.string().min(1) }))
    .optional(),
  ReceiptHandle: z.string().optional(),
  VisibilityTimeout: z.int().min(0).max(43_200).optional(),
});
const requestSchema = z.object({
  QueueUrl: z.url(),
  MaxNumberOfMessages: z.int().min(1).max(10).default(1),
  VisibilityTimeout: z.int().min(0).max(43_200).default(30),
  WaitTimeSeconds: z.int().min(0).max(20).optional(),
  Entries: z.array(entrySchema).default([]),
});

type Entry = z.output<typeof entrySchema>;
type Asked = z.output<typeof requestSchema>;

/** The answer to a request: as a whole, or codes for some entries. Codes `Sender.X` are the sender’s fault. */
export type PlannedFailure =
  | { readonly status: number; readonly type: string }
  | { readonly entries: Readonly<Record<number, string>> };

interface Standing {
  readonly id: string;
  readonly queue: string;
  readonly entry: Entry;
  readonly sentAt: number;
  /** Of the last receipt. */
  handle: string;
  visibleAt: number;
}

export interface SqsAnswers {
  answer(request: ServerRequest): ServerAnswer;
  /** The requested actions, in order. */
  readonly actions: readonly string[];
  /** The requests that sent messages. */
  readonly batches: readonly Asked[];
  /** The bodies of sent messages, in any queue. */
  readonly sent: readonly string[];
  /** Puts a message into the dead-letter queue. */
  add(body: string): void;
  /** The current entries of a queue. */
  entries(queue: Queue): readonly Entry[];
  /** The bodies of the dead letters, and the number of those that are hidden. */
  standing(): readonly string[];
  hidden(): number;
  /** Advances the time for visibility timeouts. */
  pass(seconds: number): void;
  /** Plans the answers to the next requests of this action. A receive with failed entries is empty. */
  answerNext(action: string, ...failures: readonly PlannedFailure[]): void;
}

type Queue = 'fan-out' | 'dead-letters';

export interface StubSqs extends SqsAnswers, Served<SQSClient> {
  readonly fanOutUrl: string;
  /** Of the dead-letter queue. */
  readonly queueUrl: string;
}

/** The part of SQS that sending and reading dead letters need, on the wire: limits, visibility by receipt, and failures on demand. */
export async function stubSqs(): Promise<StubSqs> {
  const answers = sqsAnswers();
  const sqs = await served(answers.answer, (settings) => new SQSClient({ ...settings, maxAttempts: 1 }));
  const urlOf = (queue: Queue) => `${sqs.endpoint}/123456789012/${queue}`;
  return { ...answers, ...sqs, fanOutUrl: urlOf('fan-out'), queueUrl: urlOf('dead-letters') };
}

/** The same, without a separate server. */
export function sqsAnswers(): SqsAnswers {
  const messages = new Map<string, Standing>();
  const actions: string[] = [];
  const batches: Asked[] = [];
  const sent: string[] = [];
  const planned = new Map<string, PlannedFailure[]>();
  let passed = 0;
  const now = () => Date.now() + passed;
  const messagesOf = (queue: string) => [...messages.values()].filter((message) => message.queue === queue);
  const hiddenIn = (queue: string) => messagesOf(queue).filter(({ visibleAt }) => visibleAt > now()).length;

  function answer(request: ServerRequest): ServerAnswer {
    const action = String(request.headers['x-amz-target']).replace('AmazonSQS.', '');
    actions.push(action);
    const asked = requestSchema.parse(JSON.parse(request.body.toString()));
    const failure = planned.get(action)?.shift();
    if (action === 'SendMessageBatch') batches.push(asked);
    if (failure !== undefined && 'status' in failure) return json(failure.status, { __type: failure.type });
    const queue = asked.QueueUrl.split('/').at(-1) ?? '';
    const batch = (work: (entry: Entry) => string | undefined) =>
      invalidBatch(asked) ?? json(200, answerEntries(asked.Entries, failure?.entries ?? {}, work));
    switch (action) {
      case 'ReceiveMessage':
        return json(200, { Messages: failure === undefined ? receive(queue, asked) : [] });
      case 'GetQueueAttributes': {
        const hidden = hiddenIn(queue);
        return json(200, {
          Attributes: {
            ApproximateNumberOfMessages: String(messagesOf(queue).length - hidden),
            ApproximateNumberOfMessagesNotVisible: String(hidden),
          },
        });
      }
      case 'DeleteMessageBatch':
        return batch((entry) => (remove(entry) ? undefined : 'Sender.ReceiptHandleIsInvalid'));
      case 'SendMessageBatch':
        return batch((entry) => send(queue, entry));
      case 'ChangeMessageVisibilityBatch':
        return batch((entry) => (change(entry) ? undefined : 'Sender.ReceiptHandleIsInvalid'));
      default:
        return json(400, { __type: 'com.amazonaws.sqs#UnsupportedOperation' });
    }
  }

  function receive(queue: string, { MaxNumberOfMessages, VisibilityTimeout }: Asked) {
    const visible = messagesOf(queue).filter(({ visibleAt }) => visibleAt <= now());
    return visible.slice(0, MaxNumberOfMessages).map((message) => {
      message.handle = randomUUID();
      message.visibleAt = now() + VisibilityTimeout * 1000;
      return {
        MessageId: message.id,
        ReceiptHandle: message.handle,
        Body: message.entry.MessageBody,
        MD5OfBody: md5(message.entry.MessageBody),
        Attributes: { SentTimestamp: String(message.sentAt) },
      };
    });
  }

  const received = ({ ReceiptHandle }: Entry) =>
    [...messages.values()].find(({ handle }) => handle === ReceiptHandle);

  function remove(entry: Entry): boolean {
    const message = received(entry);
    return message !== undefined && messages.delete(message.id);
  }

  function change(entry: Entry): boolean {
    const message = received(entry);
    if (message === undefined || message.visibleAt <= now()) return false;
    message.visibleAt = now() + (entry.VisibilityTimeout ?? 0) * 1000;
    return true;
  }

  function send(queue: string, entry: Entry): string | undefined {
    const { MessageBody = '' } = entry;
    // Source: AWS, SendMessageBatch, the characters of a message.
    if (/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(MessageBody))
      return 'Sender.InvalidMessageContents';
    sent.push(MessageBody);
    add(queue, entry);
    return undefined;
  }

  function add(queue: string, entry: Entry): void {
    const id = randomUUID();
    messages.set(id, { id, queue, entry, sentAt: Date.now(), handle: '', visibleAt: 0 });
  }

  return {
    answer,
    actions,
    batches,
    sent,
    add: (body) => add('dead-letters', { Id: '0', MessageBody: body }),
    entries: (queue) => messagesOf(queue).map(({ entry }) => entry),
    standing: () => messagesOf('dead-letters').map(({ entry }) => entry.MessageBody ?? ''),
    hidden: () => hiddenIn('dead-letters'),
    pass(seconds) {
      passed += seconds * 1000;
    },
    answerNext(action, ...failures) {
      planned.set(action, [...(planned.get(action) ?? []), ...failures]);
    },
  };
}

function invalidBatch({ Entries }: Asked): ServerAnswer | undefined {
  if (Entries.length === 0) return json(400, { __type: 'com.amazonaws.sqs#EmptyBatchRequest' });
  if (Entries.length > 10) return json(400, { __type: 'com.amazonaws.sqs#TooManyEntriesInBatchRequest' });
  return Buffer.byteLength(Entries.map(({ MessageBody = '' }) => MessageBody).join('')) > 1024 * 1024
    ? json(400, { __type: 'com.amazonaws.sqs#BatchRequestTooLong' })
    : undefined;
}

/** @param work returns why it failed, if it did */
function answerEntries(
  entries: readonly Entry[],
  planned: Readonly<Record<number, string>>,
  work: (entry: Entry) => string | undefined,
) {
  const [Successful, Failed]: [object[], object[]] = [[], []];
  for (const [index, entry] of entries.entries()) {
    const code = planned[index] ?? work(entry);
    if (code === undefined)
      Successful.push({ Id: entry.Id, MessageId: entry.Id, MD5OfMessageBody: md5(entry.MessageBody) });
    else
      Failed.push({
        Id: entry.Id,
        Code: code.replace('Sender.', ''),
        SenderFault: code.startsWith('Sender.'),
      });
  }
  return { Successful, Failed };
}

function json(status: number, content: object): ServerAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(content) };
}

function md5(text = ''): string {
  return createHash('md5').update(text).digest('hex');
}
