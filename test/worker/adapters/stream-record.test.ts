import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../../src/model/items/attribute-value.ts';
import { type Change, isLater, sequenceOf } from '../../../src/model/items/change.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { readStreamRecord } from '../../../src/worker/adapters/stream-record.ts';
import { attributes } from '../../fixtures/model/arbitraries.ts';
import { table } from '../../fixtures/model/table.ts';

const keys = { Part: { S: 'p' }, Sort: { S: 's' } };
const image = { ...keys, Name: { S: 'secret' } };
const byTtl = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

describe('a stream record', () => {
  test('of an insert contains the new item', () => {
    expect(read(record('INSERT', { NewImage: image }))).toEqual({
      key: { pk: 'p', sk: 's' },
      before: undefined,
      after: image,
      sequence: sequenceOf('', '111111111111111111111', 1_614_194_921_000),
      expired: false,
      at: 1_614_194_921_000,
    });
  });

  test.each([
    ['MODIFY', { NewImage: image, OldImage: keys }, { before: keys, after: image }],
    ['REMOVE', { OldImage: image }, { before: image, after: undefined, expired: false }],
  ])('of %s contains the item before and after', (eventName, images, expected) => {
    expect(read(record(eventName, images))).toMatchObject(expected);
  });

  test.each<[unknown, number | undefined]>([
    [1_614_194_921, 1_614_194_921_000],
    ['1614194921', 1_614_194_921_000],
    ['2021-02-24T19:28:41.250Z', 1_614_194_921_250],
    [0, 0],
    [-1, undefined],
    [1e300, undefined],
    ['yesterday', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('is accepted with any time: %j', (ApproximateCreationDateTime, at) => {
    expect(read(inserted({ ApproximateCreationDateTime }))).toMatchObject({
      after: image,
      at,
    });
  });

  test('has its second, the label of its stream and its number', () => {
    const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-11-23T09:59:59.999';
    const { sequence } = read({ ...inserted({ SequenceNumber: '7'.repeat(40) }), eventSourceARN: arn });

    expect(String(sequence)).toBe(`${'20210224192841'}${'20261123095959999000'}${'7'.repeat(40)}`);
  });

  test.each([[undefined], [1], ['arn:aws:dynamodb:eu-central-1:1:table/app/stream/']])(
    'is ordered by its number if its stream is %s',
    (eventSourceARN) => {
      const numbered = (SequenceNumber: string) =>
        read({ ...inserted({ SequenceNumber }), eventSourceARN }).sequence;

      expect(isLater(numbered('10'), numbered('9'))).toBe(true);
    },
  );

  test('preserves any item, whether its binary is text or bytes', () => {
    fc.assert(
      fc.property(attributes, (any) => {
        const item = { ...any, ...keys };

        expect(read(inserted({ NewImage: item })).after).toEqual(item);
        expect(read(inserted({ NewImage: asLambda(item) })).after).toEqual(item);
      }),
    );
  });
});

describe('an expiry', () => {
  const expired = { ...image, EndsAt: { N: '1614194900' } };

  const removed = (userIdentity?: object | null, OldImage: object = expired) =>
    record('REMOVE', { OldImage }, userIdentity);
  const identity = { userIdentity: { M: { principalId: { S: byTtl.principalId } } } };
  test.each<[string, object, boolean]>([
    ['a removal by the service', removed(byTtl), true],
    ['not a user’s delete after the expiry time', removed(), false],
    ['not a delete by another service', removed({ ...byTtl, principalId: 'x.amazonaws.com' }), false],
    ['not a delete by a user of that name', removed({ ...byTtl, type: 'User' }), false],
    ['not a change', record('MODIFY', { OldImage: expired, NewImage: image }, byTtl), false],
    ['not that of an item with such an attribute', removed(undefined, { ...expired, ...identity }), false],
    ['not a removal with an empty identity', removed(null), false],
  ])('is %s', (_, sent, isExpiry) => {
    expect(read(sent).expired).toBe(isExpiry);
  });

  const timeless = { ApproximateCreationDateTime: undefined };
  const expiringAt = (EndsAt: object) => removed(undefined, { ...image, EndsAt });
  test.each<[string, object, boolean]>([
    ['a removal after the expiry time', removed(), true],
    ['no removal before it', expiringAt({ N: '1614194922' }), false],
    ['no removal of an item without one', removed(undefined, image), false],
    ['no removal of an item whose time is no number', expiringAt({ S: '1' }), false],
    ['no removal of one that TTL ignores, five years later', removalAfter(5 * 366), false],
    ['a removal within five years', removalAfter(5 * 365), true],
    ['no removal at an unknown time', record('REMOVE', { OldImage: expired, ...timeless }), false],
    ['no change', record('MODIFY', { OldImage: expired, NewImage: image }), false],
  ])('in a replica of a global table is %s', (_, sent, isExpiry) => {
    expect(read(sent, { globalTableReplica: true }).expired).toBe(isExpiry);
  });
});

/** Of an item whose expiry is so many days past at the time of its record. */
function removalAfter(days: number): object {
  const expiry = 1_614_194_921 - days * 86_400;
  return record('REMOVE', { OldImage: { ...image, EndsAt: { N: String(expiry) } } });
}

describe('an invalid stream record', () => {
  test.each<[string, unknown, string?]>([
    ['nothing', null, 'without an id'],
    ['text', 'x', 'without an id'],
    ['a record of another service', { eventID: '7', eventSource: 'aws:kinesis', kinesis: {} }, '7'],
    ['a record without an id', { ...inserted({ Keys: {} }), eventID: undefined }, '111111111111111111111'],
    ['an unknown event name', { ...inserted({}), eventName: 'UPSERT' }],
    ['no event name', { ...inserted({}), eventName: undefined }],
    ['no keys', inserted({ Keys: undefined })],
    ['half of a key', inserted({ Keys: { Part: { S: 'p' } } })],
    ['a key that is a number', inserted({ Keys: { ...keys, Sort: { N: '1' } } })],
    ['an image that does not parse', inserted({ NewImage: { ...keys, Name: { X: 'secret' } } })],
    ['a value of two types', inserted({ NewImage: { ...keys, Name: { S: 'secret', N: '1' } } })],
    ['binary that is not base64', inserted({ NewImage: { ...keys, Name: { B: 'se cret' } } })],
    ['an insert without its image', record('INSERT', {})],
    ['a change without its old image', record('MODIFY', { NewImage: image })],
    ['a change without its new image', record('MODIFY', { OldImage: image })],
    ['a removal without its image', record('REMOVE', {})],
    ['no sequence number', inserted({ SequenceNumber: undefined })],
    ['an invalid sequence number', inserted({ SequenceNumber: '-1' })],
    ['a sequence number of 41 digits', inserted({ SequenceNumber: '1'.repeat(41) })],
    ['an image of another item', inserted({ NewImage: { ...image, Sort: { S: 'other' } } })],
    ['an image without its key', record('MODIFY', { OldImage: { Name: { S: 'secret' } } })],
  ])('is unreadable and named, without its content: %s', (_, sent, name = 'event-1') => {
    const says = readStreamRecord(table, sent, { globalTableReplica: false });

    expect(says).toEqual({ unreadable: expect.stringMatching(/^Expected /), record: name });
    expect(JSON.stringify(says)).not.toContain('secret');
  });

  test('says which keys the table has', () => {
    const numbered = { ...table, sk: { name: 'Sort', type: 'N' } } as const;

    expect(readStreamRecord(numbered, inserted({}), { globalTableReplica: false })).toMatchObject({
      unreadable: 'Expected the key attributes Part (text) and Sort (a number)',
    });
  });

  test('is marked if it is a removal with an image, which may be the last of its item', () => {
    const removal = record('REMOVE', { OldImage: { ...keys, Name: { X: 'secret' } } });

    expect(readStreamRecord(table, removal, { globalTableReplica: false })).toMatchObject({
      lastImage: true,
    });
  });

  test.each(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE'])(
    'from a stream of %s is refused, because no record of that stream is usable',
    (view) => {
      const sent = inserted({ StreamViewType: view });

      expect(() => readStreamRecord(table, sent, { globalTableReplica: false })).toThrow(
        expect.objectContaining({
          name: 'FatalError',
          code: 'stream.view-type',
          message: `Expected a stream of NEW_AND_OLD_IMAGES, found ${view}: change the table's stream`,
        }),
      );
    },
  );
});

function read(sent: unknown, evidence = { globalTableReplica: false }): Change {
  const says = readStreamRecord(table, sent, evidence);
  if ('unreadable' in says) throw new Error(says.unreadable);
  return says;
}

/** A record as Lambda delivers it. */
function record(eventName: string, dynamodb: object, userIdentity?: object | null) {
  return {
    eventID: 'event-1',
    eventName,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'eu-central-1',
    ...(userIdentity !== undefined && { userIdentity }),
    dynamodb: {
      ApproximateCreationDateTime: 1_614_194_921,
      Keys: keys,
      SequenceNumber: '111111111111111111111',
      SizeBytes: 26,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
      ...dynamodb,
    },
  };
}

/** The record of an insert. */
function inserted(dynamodb: object) {
  return record('INSERT', { NewImage: image, ...dynamodb });
}

/** An item in the form of Lambda’s events: binary as base64 text. */
function asLambda(item: Item): unknown {
  return JSON.parse(
    JSON.stringify(item, (_, value: AttributeValue | Uint8Array) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ),
  );
}
