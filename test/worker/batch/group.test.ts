import { describe, expect, test } from 'vitest';
import { earliest, groupByItem, type StreamRecord } from '../../../src/worker/batch/group.ts';

describe('the records of a batch', () => {
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
    parsed: { key: { pk, sk }, before: undefined, after: {}, sequence: BigInt(id), expired: false, at },
  };
}
