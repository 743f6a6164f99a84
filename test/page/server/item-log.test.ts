import { expect, test } from 'vitest';
import { ItemLog } from '../../../src/page/server/item-log.ts';

const key = (pk: string) => ({ pk, sk: '' });
const put = (at: number) => ({ at, text: 'put', byWorker: false });

test('the item that changed last comes first, once, and keeps its kinds', () => {
  const log = new ItemLog();
  for (const [at, pk] of ['a', 'b', 'a'].entries()) log.add(key(pk), put(at), [pk]);
  log.add(key('b'), { ...put(9), text: 'dead-lettered' });
  const newest = log.newest();

  expect(newest.map(({ key: { pk }, kinds, events }) => [pk, kinds, events.length])).toEqual([
    ['b', ['b'], 2],
    ['a', ['a'], 2],
  ]);
  expect(log.newest(newest[0]?.order).map(({ key: { pk } }) => pk)).toEqual(['a']);
});

test('it is bounded, by the events of all items and of each', () => {
  const log = new ItemLog();
  for (let at = 0; at < 50_050; at += 1) log.add(key(String(at)), put(at));
  for (let at = 0; at < 50; at += 1) log.add(key('often'), put(at));

  expect(log.newest().flatMap(({ events }) => events)).toHaveLength(50_000);
  expect(log.of(key('0'))).toBeUndefined();
  expect(log.of(key('often'))?.events.map(({ at }) => at)).toEqual(
    Array.from({ length: 30 }, (_, at) => at + 20),
  );
});
