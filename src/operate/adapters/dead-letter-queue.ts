import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { chunksOf } from '../../model/basics/chunks-of.ts';
import { TransientError } from '../../model/basics/errors.ts';
import { awsCall } from '../../worker/adapters/aws-errors.ts';
import { countMessages } from '../../worker/adapters/sqs/sqs-queue.ts';
import {
  type DeadLetterReader,
  type FoundDeadLetter,
  type LookOptions,
  readDeadLetter,
} from '../dead-letters/dead-letters.ts';

export interface SqsDeadLetterReaderOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** How long received messages stay hidden. Extended while the reader is open. Default: 300. */
  readonly hiddenSeconds?: number;
  /** How long to wait for messages in an empty queue, 0 to 20. Default: 1. */
  readonly waitSeconds?: number;
}

/** Entries in a request. Source: AWS, ReceiveMessage, DeleteMessageBatch, ChangeMessageVisibilityBatch. */
const maxEntries = 10;

/** A queue allows 120,000 hidden messages, including those of other readers. Source: AWS, "Message quotas". */
const maxLetters = 100_000;

/** Of a message that is gone, or that became visible again. Source: AWS, DeleteMessage, errors. */
const handleIsInvalid = /ReceiptHandleIsInvalid|InvalidParameterValue/;

/** While the queue returns full pages. */
const maxAtOnce = 8;

/** Consecutive rounds without a new message before the reader stops: more if the queue reports more messages. */
const quietRounds = { allSeen: 2, someUnseen: 5 } as const;

type Take = (deadLetter: FoundDeadLetter) => void;

/** The id of a message, and its newest receipt handle. */
type Held = readonly [id: string, handle: string];

/**
 * The dead-letter queue on SQS. SQS shows a message only by hiding it from everybody else, so a look hides everything for
 * a while, and `close` shows it again. A process that is killed leaves all of it hidden for `hiddenSeconds`. Needs
 * `sqs:ReceiveMessage`, `sqs:ChangeMessageVisibility`, `sqs:GetQueueAttributes`, and `sqs:DeleteMessage` to remove.
 */
export function sqsDeadLetterReader(options: SqsDeadLetterReaderOptions): DeadLetterReader {
  const { client, queueUrl, hiddenSeconds = 300, waitSeconds = 1 } = options;
  /** The newest receipt handle of each hidden message, by message id. */
  const held = new Map<string, string>();
  let beat: Promise<unknown> = Promise.resolve();
  const heartbeat = setInterval(
    () => {
      beat = beat.then(() => hide([...held], hiddenSeconds));
    },
    (hiddenSeconds * 1000) / 2,
  );
  heartbeat.unref();

  async function look(take: Take, { stop = () => false, onProgress }: LookOptions = {}): Promise<number> {
    const found = new Set<string>();
    const about = await countMessages(client, queueUrl);
    let [quiet, width] = [0, 1];
    while (quiet < (found.size < about ? quietRounds.someUnseen : quietRounds.allSeen)) {
      if (stop() || found.size >= maxLetters) break;
      const before = found.size;
      // Even if one fails, the messages that the others have hidden must be shown again.
      const answers = await Promise.allSettled(Array.from({ length: width }, () => receive(found, take)));
      const rejected = answers.find(({ status }) => status === 'rejected');
      if (rejected?.status === 'rejected') throw rejected.reason;
      quiet = found.size === before ? quiet + 1 : 0;
      const isFull = answers.every((answer) => answer.status === 'fulfilled' && answer.value === maxEntries);
      width = isFull ? Math.min(width * 2, maxAtOnce) : 1;
      onProgress?.(found.size, about);
    }
    return Math.max(0, about - found.size);
  }

  /** A message that comes again, as any may, has a newer handle, and is taken once. */
  async function receive(found: Set<string>, take: Take): Promise<number> {
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: maxEntries,
      VisibilityTimeout: hiddenSeconds,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['SentTimestamp'],
    });
    const { Messages = [] } = await awsCall(`ReceiveMessage of ${queueUrl}`, () => client.send(command));
    for (const { MessageId: id, ReceiptHandle, Body = '', Attributes } of Messages) {
      if (id === undefined || ReceiptHandle === undefined) continue;
      held.set(id, ReceiptHandle);
      if (found.has(id)) continue;
      found.add(id);
      take({ id, at: Number(Attributes?.SentTimestamp ?? 0), ...readDeadLetter(Body) });
    }
    return Messages.length;
  }

  /**
   * Never rejects.
   * @returns the IDs of messages whose visibility could not be changed
   */
  function hide(entries: readonly Held[], seconds: number): Promise<string[]> {
    return inBatches(entries, async (batch) => {
      const Entries = batch.map(([, ReceiptHandle], index) => ({
        Id: String(index),
        ReceiptHandle,
        VisibilityTimeout: seconds,
      }));
      try {
        const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries });
        const { Failed = [] } = await client.send(command);
        return Failed.flatMap(({ Id }) => batch[Number(Id)]?.[0] ?? []);
      } catch {
        return batch.map(([id]) => id);
      }
    });
  }

  async function remove(deadLetters: readonly FoundDeadLetter[]): Promise<void> {
    let failed = await removeHeld(deadLetters.map(({ id }) => id));
    // Such a message is gone, or visible again: then the queue shows it with a valid handle.
    const lost = failed.filter(({ code }) => handleIsInvalid.test(code));
    if (lost.length > 0) {
      for (const { id } of lost) held.delete(id);
      await look(() => {});
      failed = failed.filter((one) => !lost.includes(one)).concat(await removeHeld(lost.map(({ id }) => id)));
    }
    if (failed.length > 0)
      throw new TransientError(
        'queue.refused',
        `SQS did not delete ${failed.length} of ${deadLetters.length} messages of ${queueUrl} (${[...new Set(failed.map(({ code }) => code))].join(', ')}): do it again, which does no harm`,
      );
  }

  /** @returns the messages that SQS did not delete */
  function removeHeld(ids: readonly string[]) {
    const entries = ids.flatMap((id) => {
      const handle = held.get(id);
      return handle === undefined ? [] : [[id, handle] as const];
    });
    return inBatches(entries, async (batch) => {
      const Entries = batch.map(([, ReceiptHandle], index) => ({ Id: String(index), ReceiptHandle }));
      const command = new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries });
      const { Failed = [] } = await awsCall(`DeleteMessageBatch of ${queueUrl}`, () => client.send(command));
      const kept = new Set(Failed.map(({ Id }) => Number(Id)));
      for (const [index, [id]] of batch.entries()) if (!kept.has(index)) held.delete(id);
      return Failed.map(({ Id, Code }) => ({ id: batch[Number(Id)]?.[0] ?? '', code: Code ?? 'no code' }));
    });
  }

  return {
    look,
    remove,
    async close() {
      clearInterval(heartbeat);
      // Its last requests would hide what is shown here.
      await beat;
      const failed = await hide([...held], 0);
      held.clear();
      return failed.length;
    },
  };
}

/** Some requests at a time. */
async function inBatches<Entry, Failure>(
  entries: readonly Entry[],
  work: (batch: readonly Entry[]) => Promise<readonly Failure[]>,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  // Read by all: each takes the next.
  const batches = chunksOf(entries, maxEntries).values();
  async function workOff(): Promise<void> {
    for (const batch of batches) failures.push(...(await work(batch)));
  }
  await Promise.all(Array.from({ length: maxAtOnce }, workOff));
  return failures;
}
