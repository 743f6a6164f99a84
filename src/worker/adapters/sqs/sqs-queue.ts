import {
  type BatchResultErrorEntry,
  GetQueueAttributesCommand,
  type MessageAttributeValue,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { batchesOf } from '../../../model/basics/chunks-of.ts';
import { DenormError, FatalError, TransientError } from '../../../model/basics/errors.ts';
import { type DeadLetter, type Message, subjectOf } from '../../../model/work/message.ts';
import type { BacklogPort, ClockPort, DeadLetterPort, QueuePort } from '../../ports.ts';
import { untilNoneLeft } from '../../retry.ts';
import { awsCall, fromAws } from '../aws-errors.ts';
import { systemClock } from '../system-clock.ts';

export interface SqsQueueOptions extends Destination {
  readonly deadLetterQueueUrl: string;
}

/**
 * A standard queue, with its dead-letter queue.
 * @throws TransientError `queue.refused` if some messages are not in the queue; a retry may send the others twice
 * @throws FatalError if the queue does not exist or access is denied
 */
export function sqsQueue({ deadLetterQueueUrl, ...options }: SqsQueueOptions): QueuePort {
  return {
    ...sqsDeadLetters({ ...options, queueUrl: deadLetterQueueUrl }),
    async send(messages, delaySeconds = 0) {
      await sendInBatches(
        options,
        messages.map((message) => ({ MessageBody: bodyOf(message), DelaySeconds: delaySeconds })),
      );
    },
  };
}

/** Each dead letter has its code and its rule as message attributes, for filters and the console. */
export function sqsDeadLetters(options: Destination): DeadLetterPort {
  return {
    async deadLetter(deadLettered) {
      await sendInBatches(
        options,
        deadLettered.map((thing) => ({ MessageBody: bodyOf(thing), MessageAttributes: attributesOf(thing) })),
      );
    },
  };
}

/** JSON, with the two characters escaped that are legal in DynamoDB keys, but not in SQS. Source: AWS, SendMessageBatch. */
function bodyOf(content: Message | DeadLetter): string {
  return JSON.stringify(content).replace(
    /[\ufffe\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16)}`,
  );
}

function attributesOf(letter: DeadLetter): Record<string, MessageAttributeValue> {
  const texts = Object.entries({ code: letter.code, rule: subjectOf(letter)?.rule ?? '' });
  // A message may name any rule, but SQS accepts neither an empty attribute nor every character.
  return Object.fromEntries(
    texts.flatMap(([name, text]) => {
      const StringValue = text.replace(/[^\x20-\x7e]/g, '?').slice(0, 256);
      return StringValue === '' ? [] : [[name, { DataType: 'String', StringValue }]];
    }),
  );
}

/** Source: AWS, SendMessageBatch. SQS accepts 1 MiB, but queues may still be set to the earlier limit of 256 KiB. */
const limits = { count: 10, size: 256 * 1024 };

/** An ID is only unique within a batch. */
type QueueEntry = Omit<SendMessageBatchRequestEntry, 'Id'>;

export interface Destination {
  /** Asked for when something is sent. */
  readonly client: () => SQSClient;
  readonly queueUrl: string;
  /** Waits before failed entries are sent again. Default: the system's. */
  readonly clock?: ClockPort;
}

/**
 * Retries entries that SQS fails to accept, but not those that it rejects as invalid.
 * @throws TransientError `queue.refused` if an entry is not in the queue
 * @throws FatalError if no entry could
 */
async function sendInBatches(destination: Destination, entries: readonly QueueEntry[]): Promise<void> {
  const { clock = systemClock } = destination;
  const backOff = { clock, attempts: 5, firstDelayMs: 200, maxDelayMs: 2_000 };
  for (const batch of batchesOf(entries, limits, sizeOf)) {
    let pending = batch;
    let failures: readonly BatchResultErrorEntry[] = [];
    const remaining = await untilNoneLeft(backOff, batch.length, async () => {
      failures = await send(destination, pending);
      if (failures.some(({ Code = '' }) => /AccessDenied|NonExistentQueue|QueueDoesNotExist/.test(Code)))
        throw new FatalError(
          'queue.unusable',
          `${failuresText(failures, pending.length)}: check the queue and the role that sends to it`,
        );
      if (failures.some(({ SenderFault }) => SenderFault === true))
        throw new TransientError('queue.refused', failuresText(failures, pending.length));
      pending = pending.filter((_, index) => failures.some(({ Id }) => Id === String(index)));
      return pending.length;
    });
    if (remaining > 0)
      throw new TransientError(
        'queue.refused',
        `${failuresText(failures, remaining)} in ${backOff.attempts} attempts`,
      );
  }
}

async function send(
  { client, queueUrl }: Destination,
  entries: readonly QueueEntry[],
): Promise<readonly BatchResultErrorEntry[]> {
  const Entries = entries.map((entry, index) => ({ ...entry, Id: String(index) }));
  try {
    const { Failed = [] } = await client().send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    return Failed;
  } catch (error) {
    const meaning = fromAws(error, `SendMessageBatch to ${queueUrl}`);
    throw meaning instanceof TransientError
      ? new TransientError('queue.refused', meaning.message, { cause: error })
      : meaning;
  }
}

function failuresText(failures: readonly BatchResultErrorEntry[], sent: number): string {
  const codes = [...new Set(failures.map(({ Code }) => Code ?? 'no code'))].join(', ');
  return `SQS did not take ${failures.length} of ${sent} messages (${codes})`;
}

/** As SQS counts it: the body, and the names, types and values of the attributes. */
function sizeOf({ MessageBody = '', MessageAttributes = {} }: QueueEntry): number {
  const attributes = Object.entries(MessageAttributes).map(
    ([name, { DataType = '', StringValue = '' }]) => name + DataType + StringValue,
  );
  return Buffer.byteLength(MessageBody + attributes.join(''));
}

const counts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** About how many messages a queue has, hidden and delayed ones included. Needs `sqs:GetQueueAttributes`. */
export async function countMessages(client: SQSClient, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await awsCall(`GetQueueAttributes of ${QueueUrl}`, () =>
    client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...counts] })),
  );
  return counts.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

/**
 * The fan-out queue. It is only looked at: without it, the search goes on.
 * @param beats how many of its messages are no work
 */
export function sqsBacklog(client: SQSClient, queueUrl: string, beats: () => Promise<number>): BacklogPort {
  return {
    async look() {
      try {
        const messages = await countMessages(client, queueUrl);
        return { messages: messages > 0 ? Math.max(0, messages - (await beats())) : 0 };
      } catch (error) {
        if (error instanceof DenormError) return { unseen: error.message };
        throw error;
      }
    },
  };
}
