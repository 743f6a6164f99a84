import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import {
  beatMessage,
  heartbeatKey,
  newBeats,
  nextBeat,
  pathState,
  pendingBeats,
  queuedBeats,
} from '../../../src/model/work/heartbeat.ts';
import { messageSchema } from '../../../src/model/work/message-schemas.ts';
import { table } from '../../fixtures/model/table.ts';

const now = 1_800_000_000;
const times = { delaySeconds: 360, nowSeconds: now };
const minutes = (ago: number) => now - ago * 60;

/** The item with beats on their way, by how many minutes ago they were sent, and the last one that has arrived. */
function itemWith(ago: readonly number[], arrived?: number, path = 'fan-out'): Item {
  return {
    delaySeconds: { N: '360' },
    ...Object.fromEntries(ago.map((one) => [`${path}:${minutes(one)}`, { BOOL: true }])),
    ...(arrived !== undefined && {
      ...{ [`arrived:${path}`]: { N: String(minutes(arrived)) }, [`seconds:${path}`]: { N: '361' } },
    }),
  };
}

describe('the state of a path', () => {
  test.each([
    ['nothing was ever sent', [], undefined, 0, []],
    ['the last two are on their way', [1, 6], 11, 0, []],
    ['one is due for two minutes', [3, 8], 13, 120, []],
    ['nothing has arrived for an hour', [5, 30, 60], 65, 54 * 60, []],
    ['one is due for seven minutes, though the next has arrived', [3, 13], 8, 7 * 60, []],
    ['one is due for eight minutes, though the next has arrived', [4, 14], 9, 0, [14]],
    ['a purge took two', [4, 14, 19], 9, 0, [19, 14]],
    ['nothing can still have some', [7200, 7920, 7927], undefined, 7914 * 60, [7927]],
    ['some are lost, and others late', [10, 60], 30, 240, [60]],
  ])('if %s', (_, ago, arrived, overdueSeconds, lost) => {
    expect(pathState(itemWith(ago, arrived), 'fan-out', times)).toMatchObject({
      ...{ overdueSeconds, lost: lost.map(minutes) },
    });
  });

  test('counts no delay of the queue for Archive, which has none', () => {
    const item = itemWith([1], 6, 'archive');

    expect(pathState(item, 'archive', times)).toEqual({
      ...{ path: 'archive', overdueSeconds: 60, lost: [], tripSeconds: 361 },
    });
    expect(pathState(item, 'fan-out', times)).toMatchObject({ overdueSeconds: 0, tripSeconds: undefined });
  });

  test('has what the last beat took beside its delay', () => {
    expect(pathState(itemWith([], 11), 'fan-out', times).tripSeconds).toBe(1);
  });

  test('gives up a hundred at once, so that their names fit into one request', () => {
    const ago = Array.from({ length: 288 }, (_, index) => 30 + index * 5);

    expect(pathState(itemWith(ago, 9), 'fan-out', times).lost).toHaveLength(100);
  });
});

test('a run writes a beat on each path, and removes what is lost', () => {
  const states = (['fan-out', 'archive'] as const).map((path) =>
    pathState(itemWith([4, 14], 9, path), path, times),
  );

  expect(nextBeat(states, times)).toEqual({
    set: {
      ...{ delaySeconds: { N: '360' }, [`fan-out:${now}`]: { BOOL: true } },
      [`archive:${now}`]: { BOOL: true },
    },
    remove: [`fan-out:${minutes(14)}`, `archive:${minutes(14)}`],
  });
});

describe('the new beats of a change', () => {
  test('are those of its path that were not there before, each with its delay', () => {
    const before = itemWith([6]);
    const after = { ...itemWith([1, 6]), ...itemWith([1], undefined, 'archive') };

    expect(newBeats([{ before, after }], 'fan-out')).toEqual(new Map([[minutes(1), 360]]));
    expect(newBeats([{ before, after }], 'archive')).toEqual(new Map([[minutes(1), 360]]));
  });

  test('are none if one arrives, or the item goes', () => {
    const [before, after] = [itemWith([1, 6]), itemWith([1])];

    expect(newBeats([{ before, after }], 'fan-out').size).toBe(0);
    expect(newBeats([{ before, after: undefined }], 'fan-out').size).toBe(0);
  });

  test('are each taken once of several changes', () => {
    const changes = [
      { before: undefined, after: itemWith([6]) },
      { before: itemWith([6]), after: itemWith([1, 6]) },
      { before: undefined, after: itemWith([6]) },
    ];
    expect([...newBeats(changes, 'fan-out').keys()]).toEqual([minutes(6), minutes(1)]);
  });
});

test('attributes that are no beat count as none', () => {
  expect(pendingBeats({ 'fan-out:soon': { BOOL: true }, other: { N: '1' } }, 'fan-out')).toEqual([]);
});

test('beats in the queue are those that have been sent and are not due', () => {
  expect(queuedBeats(itemWith([0, 1, 5, 6, 7]), now)).toBe(3);
});

test('its message is read as one', () => {
  const key = heartbeatKey(table) ?? expect.fail('no key');
  const message = beatMessage(key, now);

  expect(messageSchema.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
});
