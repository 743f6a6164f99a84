import {
  type BatchResultErrorEntry,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { type DenormError, FatalError, TransientError } from '../../../model/errors.ts';
import { fromAws } from '../aws-errors.ts';
import { retryWhile } from '../back-off.ts';

/** Maximum number of entries in a batch. Source: AWS, SendMessageBatch. */
const maxEntries = 10;

/**
 * Maximum size of a batch in bytes, bodies and attributes together. SQS accepts 1 MiB, but queues may still
 * be set to the earlier limit of 256 KiB, and a batch that is too large fails as a whole. A larger message is
 * sent alone.
 */
const maxBytes = 256 * 1024;

/** Maximum consecutive attempts in which SQS accepts none of the entries. The SDK itself retries failed requests. */
const attempts = 5;

/** An entry without its ID, which is only unique within a batch. */
export type QueueEntry = Omit<SendMessageBatchRequestEntry, 'Id'>;

interface Destination {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** The maximum delay before the second attempt, in milliseconds. Default: 200. */
  readonly firstBackOff?: number;
}

/**
 * Sends all entries, one batch after the other, in as few batches as possible, and returns when all of them
 * are in the queue. Retries entries that SQS fails to accept, with back-off and jitter, but not entries that
 * it rejects as invalid.
 * @throws TransientError `queue.refused` if an entry is not in the queue
 * @throws FatalError if no entry could
 */
export async function sendInBatches(destination: Destination, entries: readonly QueueEntry[]): Promise<void> {
  for (const batch of inBatches(entries)) await sendBatch(destination, batch);
}

async function sendBatch(destination: Destination, batch: readonly QueueEntry[]): Promise<void> {
  for (let left = batch; left.length > 0; ) left = await sendSome(destination, left);
}

/**
 * Sends entries until SQS accepts at least one of them.
 * @returns the entries that SQS failed to accept, to be sent again at once
 */
function sendSome(destination: Destination, entries: readonly QueueEntry[]): Promise<readonly QueueEntry[]> {
  const firstDelay = destination.firstBackOff ?? 200;
  return retryWhile(
    (error) => error instanceof EntriesFailed,
    { attempts, firstDelay, maxDelay: 2_000 },
    async (attempt) => {
      const failures = await failuresOf(destination, entries);
      if (failures.length === 0) return [];
      const refusal = refusalOf(failures, entries.length, attempt);
      if (!(refusal instanceof EntriesFailed) || failures.length >= entries.length) throw refusal;
      return entries.filter((_, index) => failures.some(({ Id }) => Id === String(index)));
    },
  );
}

/** Entries that SQS failed to accept for now: the only refusal that is retried here. */
class EntriesFailed extends TransientError {}

async function failuresOf(
  { client, queueUrl }: Destination,
  entries: readonly QueueEntry[],
): Promise<BatchResultErrorEntry[]> {
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

function refusalOf(failures: readonly BatchResultErrorEntry[], sent: number, attempt: number): DenormError {
  const codes = [...new Set(failures.map(({ Code }) => Code ?? 'no code'))].join(', ');
  const what = `SQS did not take ${failures.length} of ${sent} messages at attempt ${attempt} (${codes})`;
  if (failures.some(({ Code }) => /AccessDenied|NonExistentQueue|QueueDoesNotExist/.test(Code ?? '')))
    return new FatalError('queue.unusable', `${what}: check the queue and the role that sends to it`);
  if (failures.some(({ SenderFault }) => SenderFault === true))
    return new TransientError('queue.refused', what);
  return new EntriesFailed('queue.refused', what);
}

function inBatches(entries: readonly QueueEntry[]): QueueEntry[][] {
  const batches: QueueEntry[][] = [];
  let batch: QueueEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = sizeOf(entry);
    if (batch.length === maxEntries || (batch.length > 0 && bytes + size > maxBytes)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += size;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

/** The size of a message as SQS counts it: its body, and the names, types and values of its attributes. */
function sizeOf({ MessageBody = '', MessageAttributes = {} }: QueueEntry): number {
  const attributes = Object.entries(MessageAttributes).map(
    ([name, { DataType = '', StringValue = '' }]) => name + DataType + StringValue,
  );
  return Buffer.byteLength(MessageBody + attributes.join(''));
}
