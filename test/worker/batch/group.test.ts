import { describe, expect, test } from 'vitest';
import { earliest, groupByItem, type StreamRecord } from '../../../src/worker/batch/group.ts';

describe('the records of a batch', () => {
  test('are grouped by item, in the order of the items’ first records', () => {
    const records = [change('1', 'p', 's'), change('2', 'q', 's'), change('3', 'p', 's')];

    expect(groupByItem(records).groups.map(({ ids }) => ids)).toEqual([['1', '3'], ['2']]);
  });

  test('of two items are two groups, even if their keys join to the same text', () => {
    const records = [change('1', 'a', 'bc'), change('2', 'ab', 'c')];

    expect(groupByItem(records).groups.map(({ ids }) => ids)).toEqual([['1'], ['2']]);
  });

  test('are set aside if they are invalid', () => {
    const unreadable = { id: '2', says: { unreadable: 'why', record: 'r' } };

    expect(groupByItem([change('1', 'p', 's'), unreadable])).toMatchObject({
      groups: [{ ids: ['1'] }],
      unreadable: [unreadable],
    });
  });

  test('get the earliest date among them', () => {
    const { groups } = groupByItem([
      change('1', 'p', 's', 7),
      change('2', 'p', 's', 5),
      change('3', 'p', 's'),
    ]);

    expect(groups.map(({ changedAt }) => changedAt)).toEqual([5]);
    expect(earliest([{ at: undefined }])).toBeUndefined();
  });
});

function change(id: string, pk: string, sk: string, at?: number): StreamRecord {
  return {
    id,
    says: { key: { pk, sk }, before: undefined, after: {}, sequence: BigInt(id), expired: false, at },
  };
}
