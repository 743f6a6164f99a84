import { FatalError } from '../../model/basics/errors.ts';
import { fieldsOf, ifText, isObject } from '../../model/basics/type-of.ts';
import { type Change, sequenceOf, type Unreadable } from '../../model/items/change.ts';
import { readItem } from '../../model/items/dynamodb-json.ts';
import { expiryOf, isExpired } from '../../model/items/expiry.ts';
import { type Item, keyOf, keyWords, sameKey } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';

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
  const { eventName, eventSourceARN, userIdentity, dynamodb } = fieldsOf(record);
  const { Keys, NewImage, OldImage, SequenceNumber, StreamViewType, ...rest } = fieldsOf(dynamodb);
  const notThere = (place: string) =>
    unreadable(record, `Expected a stream record of DynamoDB, found none at ${place}`);
  if (!isEventName(eventName)) return notThere('eventName');
  const [keyItem, newImage, oldImage] = [Keys, NewImage, OldImage].map(readItem);
  if (keyItem === undefined) return notThere('dynamodb.Keys');
  if (NewImage !== undefined && newImage === undefined) return notThere('dynamodb.NewImage');
  if (OldImage !== undefined && oldImage === undefined) return notThere('dynamodb.OldImage');
  if (typeof SequenceNumber !== 'string' || !/^\d{1,40}$/.test(SequenceNumber))
    return notThere('dynamodb.SequenceNumber');
  if (StreamViewType !== undefined && StreamViewType !== 'NEW_AND_OLD_IMAGES')
    throw new FatalError(
      'stream.view-type',
      `Expected a stream of NEW_AND_OLD_IMAGES, found ${StreamViewType}: change the table's stream`,
    );
  const key = keyOf(table, keyItem);
  if (key === undefined) return unreadable(record, `Expected ${keyWords(table)}`);
  const after = eventName === 'REMOVE' ? undefined : newImage;
  const before = eventName === 'INSERT' ? undefined : oldImage;
  if ((eventName !== 'REMOVE' && after === undefined) || (eventName !== 'INSERT' && before === undefined))
    return unreadable(record, `Expected the images of a ${eventName}`);
  const keys = [before, after].flatMap((item) => (item === undefined ? [] : [keyOf(table, item)]));
  if (!keys.every((one) => one !== undefined && sameKey(one, key)))
    return unreadable(record, 'Expected images of the item that the keys name, keys included');
  const at = timeOf(rest['ApproximateCreationDateTime']);
  const { type, principalId } = fieldsOf(userIdentity);
  const byService = type === 'Service' && principalId === 'dynamodb.amazonaws.com';
  const expired =
    eventName === 'REMOVE' &&
    (byService || (evidence.globalTableReplica && timeHadPassed(table, before, at)));
  const sequence = sequenceOf(ifText(eventSourceARN) ?? '', SequenceNumber, at);
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

function unreadable(record: unknown, why: string): Unreadable {
  const { eventID, eventName, dynamodb } = fieldsOf(record);
  const { SequenceNumber, OldImage } = fieldsOf(dynamodb);
  return {
    unreadable: why,
    record: ifText(eventID) ?? ifText(SequenceNumber) ?? 'without an id',
    ...(eventName === 'REMOVE' && isObject(OldImage) && { lastImage: true }),
  };
}

function isEventName(value: unknown): value is 'INSERT' | 'MODIFY' | 'REMOVE' {
  return value === 'INSERT' || value === 'MODIFY' || value === 'REMOVE';
}
