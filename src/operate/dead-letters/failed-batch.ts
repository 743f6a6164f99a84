import * as z from 'zod';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import type { StreamFunction } from '../../model/work/settings.ts';
import { recordsIn, sourceOf } from '../../worker/lambda/event.ts';

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

const removalSchema = z.object({ eventName: z.literal('REMOVE') });

/** `arn:<partition>:lambda:<region>:<account>:function:<name>`, optionally with a version or alias. */
const functionArn = /^arn:[^:]+:lambda:[^:]*:[^:]*:function:([^:]+)(?::[^:]+)?$/;

/**
 * Never throws.
 * @returns the batch, or the reason why the object is not one; never its content
 */
export function readFailedBatch(text: string): FailedBatch | { readonly unreadable: string } {
  const object = objectSchema.safeParse(jsonOrUndefined(text));
  const [, functionName] = functionArn.exec(object.data?.requestContext.functionArn ?? '') ?? [];
  if (functionName === undefined)
    return { unreadable: 'it is not what Lambda keeps of a batch that it gave up' };
  const { payload } = object.data ?? {};
  if (payload === undefined || payload === null)
    return { unreadable: 'it gives the position of the batch in the stream, but holds no records' };
  const records = recordsIn(typeof payload === 'string' ? jsonOrUndefined(payload) : payload);
  // Invalid records are left to the function.
  if (records === undefined || !records.some((record) => sourceOf(record) === 'aws:dynamodb'))
    return { unreadable: 'it holds no records of a DynamoDB stream' };
  return { functionName, records };
}

export function isRemovalRecord(record: unknown): boolean {
  return removalSchema.safeParse(record).success;
}

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
