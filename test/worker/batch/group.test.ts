import { expect, test } from 'vitest';
import { earliest, groupByItem } from '../../../src/worker/batch/group.ts';
import { anOrder } from '../../fixtures/world/items.ts';
import { changeOf } from '../../fixtures/world/worker.ts';

test('the records of an item get the earliest date among them', () => {
  const dates = [7, 5, undefined];
  const records = dates.map((at, id) => ({ id: `${id}`, parsed: changeOf(undefined, anOrder(), { at }) }));

  expect(groupByItem(records).groups.map(({ changedAt }) => changedAt)).toEqual([5]);
  expect(earliest([{ at: undefined }])).toBeUndefined();
});
