import * as z from 'zod';
import { type DeadLetter, deadLetterSchema, messageSchema } from '../../model/message.ts';
import { jsonOrUndefined } from '../../model/parse-json.ts';

/** A dead letter in the queue, or a batch of stream records that Lambda gave up, in a failure bucket. */
export interface FoundDeadLetter extends DeadLetter {
  /** The queue's id for it, the same at each look: a message id, a file name or an object key. */
  readonly id: string;
  /** When it was sent, in epoch milliseconds. For a failed message, when it was first queued. */
  readonly at: number;
  readonly batch?: StoredBatch;
}

/** What the worker dead-lettered, or a fan-out message that failed on every delivery. A body may be anything. */
export function readDeadLetter(body: string): DeadLetter {
  const json = jsonOrUndefined(body);
  const deadLettered = deadLetterSchema.safeParse(json);
  if (deadLettered.success) return deadLettered.data;
  const message = messageSchema.safeParse(json);
  if (message.success)
    return {
      ...{ code: 'message.failed', reason: 'Failed on every delivery: see the log of FanOut' },
      message: message.data,
    };
  return {
    code: 'dead-letter.unreadable',
    reason: 'The body is neither a dead letter nor a message: it can only be dropped',
  };
}

export interface Look {
  readonly deadLetters: readonly FoundDeadLetter[];
  /** About how many more the queue holds: hidden by another reader, or not read because the look was stopped. */
  readonly unseen: number;
}

export interface LookOptions {
  /** Then the look returns what it has found so far. */
  readonly stop?: () => boolean;
  readonly onFound?: (found: number, about: number) => void;
}

/** Dead letters that were looked at are hidden from others until {@link close}. Throws as the table's port does. */
export interface DeadLetterReader {
  look(options?: LookOptions): Promise<Look>;
  remove(deadLetters: readonly FoundDeadLetter[]): Promise<void>;
  /** Makes the others visible again. Never rejects. @returns how many only the queue itself makes visible, after a while */
  close(): Promise<number>;
}

/** A batch of stream records that Lambda has given up and stored in the failure bucket. */
export interface FailedBatch {
  /** The function that failed, as the object says, without its version. */
  readonly functionName: string;
  readonly records: readonly unknown[];
}

/** What is needed of the stored object. Source: AWS, "Retain discarded records for a DynamoDB event source". */
const objectSchema = z.object({
  requestContext: z.object({ functionArn: z.string() }),
  payload: z.unknown().optional(),
});

const eventSchema = z.object({ Records: z.array(z.unknown()) });

/** At least one record must come from DynamoDB. Invalid records are left to the function. */
const recordSchema = z.object({ eventSource: z.literal('aws:dynamodb') });

/** `arn:<partition>:lambda:<region>:<account>:function:<name>`, optionally with a version or alias. */
const functionArn = /^arn:[^:]+:lambda:[^:]*:[^:]*:function:([^:]+)(?::[^:]+)?$/;

/** Never throws. @returns the batch, or the reason why the object is not one; never its content */
export function readFailedBatch(text: string): FailedBatch | { readonly unreadable: string } {
  const object = objectSchema.safeParse(jsonOrUndefined(text));
  const [, functionName] = functionArn.exec(object.data?.requestContext.functionArn ?? '') ?? [];
  if (functionName === undefined)
    return { unreadable: 'it is not what Lambda keeps of a batch that it gave up' };
  const { payload } = object.data ?? {};
  if (payload === undefined || payload === null)
    return { unreadable: 'it gives the position of the batch in the stream, but holds no records' };
  const event = eventSchema.safeParse(typeof payload === 'string' ? jsonOrUndefined(payload) : payload);
  if (!event.success || !event.data.Records.some((record) => recordSchema.safeParse(record).success))
    return { unreadable: 'it holds no records of a DynamoDB stream' };
  return { functionName, records: event.data.Records };
}

export function isRemovalRecord(record: unknown): boolean {
  return removalSchema.safeParse(record).success;
}

const removalSchema = z.object({ eventName: z.literal('REMOVE') });

/** The functions that read the stream, by their logical ids in `template.yaml`. */
export const streamFunctions = ['Propagate', 'Archive'] as const;
export type StreamFunction = (typeof streamFunctions)[number];

/** The failed batches, by object key. Throws `TransientError` and `FatalError` as the table does. */
export interface FailedBatches {
  /** The location for people: `s3://name`, or a folder. */
  readonly name: string;
  /** Whose they are: that of the only role that may write there. Undefined for a folder, where each batch names its function. */
  readonly owner?: StreamFunction | undefined;
  /** All keys; within a shard, oldest first. */
  keys(): AsyncIterable<string>;
  read(key: string): Promise<string | undefined>;
  /** It may be gone already. */
  remove(key: string): Promise<void>;
}

export interface StoredBatch {
  readonly batches: FailedBatches;
  readonly key: string;
}

/**
 * One list of all that failed: the dead letters of a queue, then the batches that Lambda gave up.
 * @param reader undefined where only failed batches are named
 */
export function withFailedBatches(
  reader: DeadLetterReader | undefined,
  sources: readonly FailedBatches[],
): DeadLetterReader {
  return {
    async look(options) {
      const { deadLetters = [], unseen = 0 } = (await reader?.look(options)) ?? {};
      return { deadLetters: [...deadLetters, ...(await batchesIn(sources, options))], unseen };
    },
    async remove(deadLetters) {
      for (const { batch } of deadLetters) await batch?.batches.remove(batch.key);
      const others = deadLetters.filter(({ batch }) => batch === undefined);
      if (others.length > 0) await reader?.remove(others);
    },
    close: async () => (await reader?.close()) ?? 0,
  };
}

async function batchesIn(
  sources: readonly FailedBatches[],
  { stop = () => false }: LookOptions = {},
): Promise<readonly FoundDeadLetter[]> {
  const found: FoundDeadLetter[] = [];
  for (const batches of sources)
    for await (const key of batches.keys()) {
      if (stop()) return found;
      const reason = `Lambda gave up a batch of ${batches.owner ?? 'a function'}: see its errors alarm`;
      found.push({ id: key, at: timeIn(key), code: 'batch.given-up', reason, batch: { batches, key } });
    }
  return found;
}

/** The time in the name that Lambda gives an object, `…/2026-11-20T10.11.12-<UUID>`; 0 for another name. */
function timeIn(key: string): number {
  const [, day, hours, minutes, seconds] = /(\d{4}-\d\d-\d\d)T(\d\d)\.(\d\d)\.(\d\d)-[^/]*$/.exec(key) ?? [];
  return Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`) || 0;
}
