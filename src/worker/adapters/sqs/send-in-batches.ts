import {
  type BatchResultErrorEntry,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { batchesOf } from '../../../model/chunks-of.ts';
import { FatalError, TransientError } from '../../../model/errors.ts';
import { fromAws } from '../aws-errors.ts';
import { untilNoneLeft } from '../back-off.ts';

/** Source: AWS, SendMessageBatch. SQS accepts 1 MiB, but queues may still be set to the earlier limit of 256 KiB. */
const limits = { count: 10, size: 256 * 1024 };

/** An ID is only unique within a batch. */
export type QueueEntry = Omit<SendMessageBatchRequestEntry, 'Id'>;

export interface Destination {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** The longest delay before failed entries are sent again, in milliseconds; it doubles each time. Default: 200. */
  readonly firstBackOff?: number;
}

/**
 * Retries entries that SQS fails to accept, but not those that it rejects as invalid.
 * @throws TransientError `queue.refused` if an entry is not in the queue
 * @throws FatalError if no entry could
 */
export async function sendInBatches(destination: Destination, entries: readonly QueueEntry[]): Promise<void> {
  const backOff = { attempts: 5, firstDelay: destination.firstBackOff ?? 200, maxDelay: 2_000 };
  for (const batch of batchesOf(entries, limits, sizeOf)) {
    let pending = batch;
    let failures: readonly BatchResultErrorEntry[] = [];
    const left = await untilNoneLeft(backOff, batch.length, async () => {
      failures = await send(destination, pending);
      if (failures.some(({ Code = '' }) => /AccessDenied|NonExistentQueue|QueueDoesNotExist/.test(Code)))
        throw new FatalError(
          'queue.unusable',
          `${refusalOf(failures, pending.length)}: check the queue and the role that sends to it`,
        );
      if (failures.some(({ SenderFault }) => SenderFault === true))
        throw new TransientError('queue.refused', refusalOf(failures, pending.length));
      pending = pending.filter((_, index) => failures.some(({ Id }) => Id === String(index)));
      return pending.length;
    });
    if (left > 0)
      throw new TransientError(
        'queue.refused',
        `${refusalOf(failures, left)} in ${backOff.attempts} attempts`,
      );
  }
}

async function send(
  { client, queueUrl }: Destination,
  entries: readonly QueueEntry[],
): Promise<readonly BatchResultErrorEntry[]> {
  const Entries = entries.map((entry, index) => ({ ...entry, Id: String(index) }));
  try {
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    return Failed;
  } catch (error) {
    const meaning = fromAws(error, `SendMessageBatch to ${queueUrl}`);
    throw meaning instanceof TransientError
      ? new TransientError('queue.refused', meaning.message, { cause: error })
      : meaning;
  }
}

function refusalOf(failures: readonly BatchResultErrorEntry[], sent: number): string {
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
