/** What the handlers that this project is compared with have to know of the work, in plain JavaScript values. */
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';

export type Plain = Readonly<Record<string, unknown>>;

export interface CopyQuery {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Readonly<Record<string, string>>;
}

export function newImage(record: DynamoDBRecord): Plain {
  // The types of Lambda and of the SDK differ in which values they allow at once.
  return unmarshall((record.dynamodb?.NewImage ?? {}) as Parameters<typeof unmarshall>[0]);
}

/** The query for the copies of a root: the participations of an incident. */
export function copyQuery(root: Plain): CopyQuery {
  return {
    KeyConditionExpression: 'PK = :pk',
    ExpressionAttributeValues: { ':pk': `${root['PK']}_${String(root['ID']).slice('inc_'.length)}#incpart` },
  };
}

/** What the copies of a root should say. */
export function wantedOf(root: Plain): Plain {
  const { PK, SK, ...copied } = root;
  const created = new Date(Number(root['CreatedAt']) * 1000).toISOString().replace(/\.\d+/, '');
  return { ...copied, GSI1SK: `${root['State']}#${created}` };
}

/** What differs on a copy. */
export function changesOf(copy: Plain, wanted: Plain): Plain {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => copy[name] !== value));
}

/** An update that sets what differs, on condition that it is still as read; undefined if nothing differs. */
export function updateOf(copy: Plain, wanted: Plain) {
  const changes = Object.entries(changesOf(copy, wanted));
  if (changes.length === 0) return undefined;
  return {
    Key: { PK: copy['PK'], SK: copy['SK'] },
    UpdateExpression: `SET ${changes.map((_, index) => `#${index} = :${index}`).join(', ')}`,
    ConditionExpression: [
      'attribute_exists(PK)',
      ...changes.map((_, index) => `#${index} = :was${index}`),
    ].join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(changes.map(([name], index) => [`#${index}`, name])),
    ExpressionAttributeValues: Object.fromEntries(
      changes.flatMap(([name, value], index) => [
        [`:${index}`, value],
        [`:was${index}`, copy[name]],
      ]),
    ),
  };
}
