import * as z from 'zod';
import { FatalError } from '../../model/basics/errors.ts';
import { type Change, sequenceOf, type Unreadable } from '../../model/items/change.ts';
import { readItem } from '../../model/items/dynamodb-json.ts';
import { expiryOf, isExpired } from '../../model/items/expiry.ts';
import { type Item, keyOf, keyWords, sameKey } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';

/** Parsed by our own code, which is several times faster than a schema. */
const image = z.custom<unknown>().transform((json, context): Item => {
  const item = readItem(json);
  if (item !== undefined) return item;
  context.addIssue({ code: 'custom', message: 'Expected an item in DynamoDB JSON' });
  return z.NEVER;
});

const recordSchema = z.object({
  eventID: z.string().optional(),
  eventSourceARN: z.string().catch(''),
  eventName: z.enum(['INSERT', 'MODIFY', 'REMOVE']),
  userIdentity: z.object({ type: z.string().nullish(), principalId: z.string().nullish() }).nullish(),
  dynamodb: z.object({
    ApproximateCreationDateTime: z.unknown().optional(),
    Keys: image,
    NewImage: image.optional(),
    OldImage: image.optional(),
    SequenceNumber: z.string().regex(/^\d{1,40}$/),
    StreamViewType: z.string().optional(),
  }),
});

/** Replicas of a global table record no service identity: there an expiry is told from a user's delete by its time. */
export interface ExpiryEvidence {
  readonly globalTableReplica: boolean;
}

/**
 * Returns an invalid record as unreadable, with its ID and without its content.
 * @throws FatalError `stream.view-type` if the stream does not contain both images, because then every record is unusable
 */
export function readStreamRecord(
  table: TableNames,
  record: unknown,
  evidence: ExpiryEvidence,
): Change | Unreadable {
  const parsed = recordSchema.safeParse(record);
  if (!parsed.success)
    return unreadable(
      record,
      `Expected a stream record of DynamoDB, found none at ${parsed.error.issues[0]?.path.join('.') || 'its top'}`,
    );
  const { eventName, dynamodb, userIdentity, eventSourceARN } = parsed.data;
  if (dynamodb.StreamViewType !== undefined && dynamodb.StreamViewType !== 'NEW_AND_OLD_IMAGES')
    throw new FatalError(
      'stream.view-type',
      `Expected a stream of NEW_AND_OLD_IMAGES, found ${dynamodb.StreamViewType}: change the table's stream`,
    );
  const key = keyOf(table, dynamodb.Keys);
  if (key === undefined) return unreadable(record, `Expected ${keyWords(table)}`);
  const after = eventName === 'REMOVE' ? undefined : dynamodb.NewImage;
  const before = eventName === 'INSERT' ? undefined : dynamodb.OldImage;
  if ((eventName !== 'REMOVE' && after === undefined) || (eventName !== 'INSERT' && before === undefined))
    return unreadable(record, `Expected the images of a ${eventName}`);
  const keys = [before, after].flatMap((item) => (item === undefined ? [] : [keyOf(table, item)]));
  if (!keys.every((one) => one !== undefined && sameKey(one, key)))
    return unreadable(record, 'Expected images of the item that the keys name, keys included');
  const at = timeOf(dynamodb.ApproximateCreationDateTime);
  const byService = userIdentity?.type === 'Service' && userIdentity.principalId === 'dynamodb.amazonaws.com';
  const expired =
    eventName === 'REMOVE' &&
    (byService || (evidence.globalTableReplica && timeHadPassed(table, before, at)));
  const sequence = sequenceOf(eventSourceARN, dynamodb.SequenceNumber, at);
  return { key, before, after, sequence, expired, at };
}

/** Source: ECMAScript, "Time Values and Time Range". */
const latestTime = 8.64e15;

/** In epoch milliseconds. Lambda sends seconds as a number, but AWS's examples also show strings. */
function timeOf(created: unknown): number | undefined {
  const text = typeof created === 'string' ? created.trim() : '';
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : created;
  const at = typeof seconds === 'number' ? seconds * 1000 : Date.parse(text);
  return at >= 0 && at <= latestTime ? at : undefined;
}

function timeHadPassed(table: TableNames, item: Item | undefined, at: number | undefined): boolean {
  const expiry = item && expiryOf(table, item);
  return at !== undefined && expiry !== undefined && isExpired(expiry, at / 1000);
}

/** What names an invalid record, as far as it is there. */
const named = z.object({
  eventID: z.string().optional().catch(undefined),
  eventName: z.string().optional().catch(undefined),
  dynamodb: z
    .object({
      SequenceNumber: z.string().optional().catch(undefined),
      OldImage: z.looseObject({}).optional().catch(undefined),
    })
    .catch({}),
});

function unreadable(record: unknown, why: string): Unreadable {
  const { eventID, eventName, dynamodb = {} } = named.safeParse(record).data ?? {};
  const { SequenceNumber, OldImage } = dynamodb;
  return {
    unreadable: why,
    record: eventID ?? SequenceNumber ?? 'without an id',
    ...(eventName === 'REMOVE' && OldImage !== undefined && { lastImage: true }),
  };
}
