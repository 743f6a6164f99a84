import * as z from 'zod';

/** A batch of stream records that Lambda gave up and put whole into the failure bucket. */
export interface FailedBatch {
  /** The function that could not work on it, without its version. */
  readonly functionName: string;
  /** As Lambda delivered them. */
  readonly records: readonly unknown[];
}

/** The parts of such an object that matter here. Source: AWS, "Retain discarded records for a DynamoDB event source". */
const objectSchema = z.object({
  requestContext: z.object({ functionArn: z.string() }),
  payload: z.unknown().optional(),
});

const eventSchema = z.object({ Records: z.array(z.unknown()) });

/** A record may be none; then the function sees to it. One of another source makes it another event. */
const recordSchema = z.object({ eventSource: z.literal('aws:dynamodb') });

/** `arn:<partition>:lambda:<region>:<account>:function:<name>`, and a version or alias behind it. */
const functionArn = /^arn:[^:]+:lambda:[^:]*:[^:]*:function:([^:]+)(?::[^:]+)?$/;

/**
 * Reads what stands in an object of the failure bucket. Never throws.
 * @returns the batch, or in words what the object is instead; never its content
 */
export function readFailedBatch(text: string): FailedBatch | { readonly unreadable: string } {
  const object = objectSchema.safeParse(json(text));
  const [, functionName] = functionArn.exec(object.data?.requestContext.functionArn ?? '') ?? [];
  if (functionName === undefined)
    return { unreadable: 'it is not what Lambda keeps of a batch that it gave up' };
  const { payload } = object.data ?? {};
  if (payload === undefined || payload === null)
    return { unreadable: 'it tells where the batch stood in the stream, but holds no records' };
  const event = eventSchema.safeParse(typeof payload === 'string' ? json(payload) : payload);
  if (!event.success || !event.data.Records.some((record) => recordSchema.safeParse(record).success))
    return { unreadable: 'it holds no records of a stream of DynamoDB' };
  return { functionName, records: event.data.Records };
}

/** Whether a record tells of the removal of an item, be it by a user or by its expiry. */
export function isRemovalRecord(record: unknown): boolean {
  return (
    typeof record === 'object' && record !== null && 'eventName' in record && record.eventName === 'REMOVE'
  );
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where batches stand that were given up: objects by key. Throws `TransientError` and `FatalError` as the table does. */
export interface FailedBatches {
  /** Where that is, for people: `s3://name`, a folder. */
  readonly name: string;
  /** All keys, those of a shard oldest first. */
  keys(): AsyncIterable<string>;
  /** What stands there; undefined where nothing does any more. */
  read(key: string): Promise<string | undefined>;
  /** Removes it. One that is gone already is no error. */
  remove(key: string): Promise<void>;
}

/** The functions that read the stream, by their logical ids in `template.yaml`. */
export const streamFunctions = ['Propagate', 'Archive'] as const;
export type StreamFunction = (typeof streamFunctions)[number];
