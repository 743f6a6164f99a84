import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { ExpiryMarks, expiryTime, isExpired } from '../../../../src/develop/dev/table/expiry-marks.ts';
import { streamRecord } from '../stream-records.ts';

const mark = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

describe('a REMOVE from before the start', () => {
  const started = 1_700_000_000;
  const removal = (createdAt: number, expiresAt: string): DynamoDBRecord => {
    const record = streamRecord(1, 'a');
    return {
      ...record,
      eventName: 'REMOVE',
      dynamodb: {
        ...record.dynamodb,
        ApproximateCreationDateTime: createdAt,
        OldImage: { ExpiresAt: { N: expiresAt } },
      },
    };
  };

  it.each([
    ['counts as an expiry if the expiry time had passed', started - 10, String(started - 10), true],
    ['counts as a user’s delete if the expiry time had not passed', started - 10, String(started - 9), false],
    [
      'counts as a user’s delete if the expiry time had passed by more than five years',
      started - 10,
      '1',
      false,
    ],
    [
      'counts as a user’s delete if the process may have started before it',
      started,
      String(started - 10),
      false,
    ],
  ])('%s', (_, createdAt, expiresAt, isMarked) => {
    const marked = new ExpiryMarks('ExpiresAt', started, 2).marked(removal(createdAt, expiresAt), 'a');
    expect(marked.userIdentity).toEqual(isMarked ? mark : undefined);
  });

  it('is only ours if it removed the same item, in any order of attributes and sets', () => {
    const marks = new ExpiryMarks('ExpiresAt', started, 2);
    const users = removal(started + 10, '5');
    const ours = removal(started + 10, '6');
    if (users.dynamodb) users.dynamodb.SequenceNumber = '1';
    if (ours.dynamodb) {
      ours.dynamodb.SequenceNumber = '2';
      ours.dynamodb.OldImage = { Tags: { SS: ['a', 'b'] }, ExpiresAt: { N: '6' } };
    }
    marks.removed('a', { ExpiresAt: { N: '6' }, Tags: { SS: ['b', 'a'] } });
    expect(marks.marked(users, 'a').userIdentity).toBeUndefined();
    expect(marks.marked(ours, 'other key').userIdentity).toBeUndefined();
    expect(
      marks.marked({ ...ours, dynamodb: { ...ours.dynamodb, SequenceNumber: '3' } }, 'a').userIdentity,
    ).toEqual(mark);
  });

  it('keeps its classification until each reader has it, even if a removal with the same content follows', () => {
    const marks = new ExpiryMarks('ExpiresAt', started, 2);
    const users = removal(started + 10, '5');
    expect(marks.marked(users, 'a').userIdentity).toBeUndefined();
    marks.removed('a', users.dynamodb?.OldImage);
    expect(marks.marked(users, 'a').userIdentity).toBeUndefined();
    // No reader asks again, so nothing of it needs to be kept.
    expect(marks.marked(users, 'a').userIdentity).toEqual(mark);
  });
});

describe('an expiry time', () => {
  it('is a number attribute', () => {
    expect(expiryTime({ ExpiresAt: { N: '12.5' } }, 'ExpiresAt')).toEqual({ seconds: 12.5, text: '12.5' });
    for (const value of [{ S: '12' }, { N: 'x' }, { NULL: true }, undefined])
      expect(expiryTime({ ExpiresAt: value }, 'ExpiresAt')).toBeUndefined();
  });

  it('has come from its second on, for five years', () => {
    const at = Date.UTC(2026, 0, 1) / 1000;
    const expired = (time: number) => isExpired({ seconds: time, text: '' }, at);
    expect([expired(at + 1), expired(at)]).toEqual([false, true]);
    expect([expired(Date.UTC(2021, 0, 1) / 1000), expired(Date.UTC(2021, 0, 1) / 1000 - 1)]).toEqual([
      true,
      false,
    ]);
  });
});
