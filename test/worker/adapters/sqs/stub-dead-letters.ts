import { createHash, randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { loopbackClientSettings } from '../../../../src/develop/dev/loopback.ts';
import { loopbackServer, type ServerAnswer, type ServerRequest } from '../../../suites/loopback-server.ts';

const entries = z.array(
  z.object({
    Id: z.string().regex(/^[\w-]{1,80}$/),
    ReceiptHandle: z.string().optional(),
    MessageBody: z.string().optional(),
    VisibilityTimeout: z.int().min(0).max(43_200).optional(),
  }),
);
const requestSchema = z.object({
  MaxNumberOfMessages: z.int().min(1).max(10).optional(),
  VisibilityTimeout: z.int().min(0).max(43_200).optional(),
  WaitTimeSeconds: z.int().min(0).max(20).optional(),
  Entries: entries
    .min(1)
    .max(10)
    .default([{ Id: '0' }]),
});

interface Standing {
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  /** Of the last receipt. */
  handle: string;
  visibleAt: number;
}

export interface DeadLetterAnswers {
  answer(request: ServerRequest): ServerAnswer;
  /** The bodies of sent messages, in any queue. */
  readonly sent: readonly string[];
  /** The requested actions, in order. */
  readonly actions: readonly string[];
  add(body: string): void;
  standing(): readonly string[];
  /** The number of hidden messages. */
  hidden(): number;
  /** Advances the time for visibility timeouts. */
  pass(seconds: number): void;
  /** Plans answers to the next requests of this action. A code fails only the first entry; a receive is then empty. */
  answerNext(
    action: string,
    ...failures: readonly ({ status: number; type: string } | { code: string })[]
  ): void;
}

export interface StubDeadLetters extends DeadLetterAnswers {
  readonly client: SQSClient;
  readonly queueUrl: string;
  close(): Promise<void>;
}

/** The part of SQS that reading dead letters needs, on the wire: visibility by receipt, pages of at most ten, handles. */
export async function stubDeadLetters(): Promise<StubDeadLetters> {
  const answers = deadLetterAnswers();
  const server = await loopbackServer(answers.answer);
  const client = new SQSClient({
    ...loopbackClientSettings(server.endpoint),
    maxAttempts: 1,
  });
  return {
    ...answers,
    client,
    queueUrl: `${server.endpoint}/123456789012/dead-letters`,
    async close() {
      client.destroy();
      await server.close();
    },
  };
}

/** The same, without a separate server. */
export function deadLetterAnswers(): DeadLetterAnswers {
  const messages = new Map<string, Standing>();
  const actions: string[] = [];
  const sent: string[] = [];
  const planned = new Map<string, ({ status: number; type: string } | { code: string })[]>();
  let passed = 0;
  const now = () => Date.now() + passed;

  function answer(request: ServerRequest): ServerAnswer {
    const action = String(request.headers['x-amz-target']).replace('AmazonSQS.', '');
    actions.push(action);
    const asked = requestSchema.parse(JSON.parse(request.body.toString()));
    const failure = planned.get(action)?.shift();
    if (failure !== undefined && 'status' in failure) return json(failure.status, { __type: failure.type });
    switch (action) {
      case 'ReceiveMessage':
        return json(200, {
          Messages:
            failure === undefined
              ? receive(asked.MaxNumberOfMessages ?? 1, asked.VisibilityTimeout ?? 30)
              : [],
        });
      case 'GetQueueAttributes':
        return json(200, {
          Attributes: {
            ApproximateNumberOfMessages: String(messages.size - hidden()),
            ApproximateNumberOfMessagesNotVisible: String(hidden()),
          },
        });
      case 'DeleteMessageBatch':
        return json(
          200,
          batch(asked.Entries, failure, ({ ReceiptHandle }) => remove(ReceiptHandle)),
        );
      case 'SendMessageBatch':
        return json(200, batch(asked.Entries, failure, send));
      case 'ChangeMessageVisibilityBatch':
        return json(200, batch(asked.Entries, failure, change));
      default:
        return json(400, { __type: 'com.amazonaws.sqs#UnsupportedOperation' });
    }
  }

  function receive(most: number, seconds: number) {
    const visible = [...messages.values()].filter(({ visibleAt }) => visibleAt <= now()).slice(0, most);
    return visible.map((message) => {
      message.handle = randomUUID();
      message.visibleAt = now() + seconds * 1000;
      return {
        MessageId: message.id,
        ReceiptHandle: message.handle,
        Body: message.body,
        MD5OfBody: md5(message.body),
        Attributes: { SentTimestamp: String(message.sentAt) },
      };
    });
  }

  function remove(handle: string | undefined): boolean {
    const message = [...messages.values()].find((one) => one.handle === handle);
    return message !== undefined && messages.delete(message.id);
  }

  function change({ ReceiptHandle, VisibilityTimeout = 0 }: z.output<typeof entries>[number]): boolean {
    const message = [...messages.values()].find((one) => one.handle === ReceiptHandle);
    if (message === undefined || message.visibleAt <= now()) return false;
    message.visibleAt = now() + VisibilityTimeout * 1000;
    return true;
  }

  function send({ MessageBody = '' }: z.output<typeof entries>[number]): boolean {
    sent.push(MessageBody);
    return true;
  }

  function batch(
    asked: z.output<typeof entries>,
    failure: { code: string } | undefined,
    work: (entry: z.output<typeof entries>[number]) => boolean,
  ) {
    const [Successful, Failed]: [object[], object[]] = [[], []];
    for (const [index, entry] of asked.entries()) {
      const code = index === 0 ? failure?.code : undefined;
      if (code !== undefined || !work(entry))
        Failed.push({
          Id: entry.Id,
          Code: code ?? 'ReceiptHandleIsInvalid',
          SenderFault: code === undefined,
        });
      else Successful.push({ Id: entry.Id, MessageId: entry.Id, MD5OfMessageBody: md5(entry.MessageBody) });
    }
    return { Successful, Failed };
  }

  function hidden(): number {
    return [...messages.values()].filter(({ visibleAt }) => visibleAt > now()).length;
  }

  return {
    answer,
    sent,
    actions,
    add(body) {
      const id = randomUUID();
      messages.set(id, { id, body, sentAt: Date.now(), handle: '', visibleAt: 0 });
    },
    standing: () => [...messages.values()].map(({ body }) => body),
    hidden,
    pass(seconds) {
      passed += seconds * 1000;
    },
    answerNext(action, ...failures) {
      planned.set(action, [...(planned.get(action) ?? []), ...failures]);
    },
  };
}

function json(status: number, content: object): ServerAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(content) };
}

function md5(text = ''): string {
  return createHash('md5').update(text).digest('hex');
}
