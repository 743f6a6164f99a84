import { expect, test } from 'vitest';
import { keyAttributes } from '../../../src/model/items/item.ts';
import { heartbeatKey } from '../../../src/model/work/heartbeat.ts';
import { earliest, groupByItem } from '../../../src/worker/batch/group.ts';
import { table } from '../../fixtures/model/table.ts';
import { anOrder } from '../../fixtures/world/items.ts';
import { changeOf } from '../../fixtures/world/worker.ts';

test('the records of an item get the earliest date among them', () => {
  const dates = [7, 5, undefined];
  const records = dates.map((at, id) => ({ id: `${id}`, parsed: changeOf(undefined, anOrder(), { at }) }));

  expect(groupByItem(table, records).groups.map(({ changedAt }) => changedAt)).toEqual([5]);
  expect(earliest([{ at: undefined }])).toBeUndefined();
});

test('changes of the heartbeat are no group of an item', () => {
  const key = heartbeatKey(table) ?? expect.fail('no key');
  const items = [key, { ...key, pk: '~denorm#PAUSES' }].map((one) => keyAttributes(table, one));
  const records = items.map((item, id) => ({ id: `${id}`, parsed: changeOf(undefined, item) }));
  const { groups, beats } = groupByItem(table, records);

  expect(beats?.ids).toEqual(['0']);
  expect(groups.map(({ ids }) => ids)).toEqual([['1']]);
});
