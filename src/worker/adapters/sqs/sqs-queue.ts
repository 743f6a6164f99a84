import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { DeadLetter, Message } from '../../../model/message.ts';
import type { DeadLetterPort, QueuePort } from '../../ports.ts';
import { type Destination, sendInBatches } from './send-in-batches.ts';

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

function attributesOf({ code, message }: DeadLetter): Record<string, MessageAttributeValue> {
  const texts = Object.entries({ code, rule: message?.rule ?? '' });
  // A message may name any rule, but SQS accepts neither an empty attribute nor every character.
  return Object.fromEntries(
    texts.flatMap(([name, text]) => {
      const StringValue = text.replace(/[^\x20-\x7e]/g, '?').slice(0, 256);
      return StringValue === '' ? [] : [[name, { DataType: 'String', StringValue }]];
    }),
  );
}
