import { describe, expect, test } from 'vitest';
import type { Change, Unreadable } from '../../../../src/model/items/change.ts';
import { type History, readHistory } from '../../../../src/operate/archive/audit/read-history.ts';
import { VirtualClock } from '../../../fixtures/virtual-clock.ts';

const clock = new VirtualClock();
const now = clock.now();

type Pages = Readonly<Record<string, readonly (readonly (Change | Unreadable)[])[]>>;

/** Shards of pages; after its last page, an open shard continues with empty ones. */
function fakeHistory(shards: Pages, open: readonly string[] = []) {
  const asked = { pages: 0 };
  const history: History = async () =>
    Object.entries(shards).map(([id, pages]) => {
      const closed = !open.includes(id);
      let at = 0;
      return {
        closed,
        async page() {
          asked.pages += 1;
          if (asked.pages > 1_000) throw new Error('Expected an end');
          at += 1;
          return { changes: pages[at - 1] ?? [], ended: closed && at >= pages.length };
        },
      };
    });
  return { history, asked };
}

function change(sequence: number, at: number | undefined = now - 1_000): Change {
  return {
    key: { pk: 'a', sk: String(sequence) },
    before: {},
    after: undefined,
    sequence: BigInt(sequence),
    expired: true,
    at,
  };
}

async function read({ history }: { history: History }, stop?: () => boolean) {
  const seen: bigint[] = [];
  const outcome = await readHistory({
    history,
    clock,
    pauseMs: 250,
    visit: async (changes) => {
      seen.push(...changes.map(({ sequence }) => sequence));
    },
    ...(stop && { stop }),
  });
  return { seen, ...outcome };
}

const empties = (count: number) => Array.from({ length: count }, () => []);

describe('the history of a table', () => {
  test('is read over all shards, and closed shards to their end', async () => {
    const history = fakeHistory({ a: [[change(1)], [], [change(2)]], b: [[change(3, now - 5_000)]] });

    expect(await read(history)).toEqual({
      seen: [1n, 3n, 2n],
      records: 3,
      unreadable: 0,
      since: now - 5_000,
    });
  });

  test('is read past any number of empty pages of a closed shard', async () => {
    const history = fakeHistory({ a: [[change(1)], ...empties(40), [change(2)]] });

    expect((await read(history)).seen).toEqual([1n, 2n]);
  });

  test('is read past empty pages, and an open shard ends after twenty of them', async () => {
    const history = fakeHistory({ a: [[change(1)], ...empties(19), [change(2)]] }, ['a']);

    expect((await read(history)).seen).toEqual([1n, 2n]);
    expect(history.asked.pages).toBe(1 + 19 + 1 + 20);
  });

  test('ends when an open shard reaches records newer than the start of the read', async () => {
    const history = fakeHistory({ a: [[change(1)], [change(2, now + 3_600_000)], [change(3)]] }, ['a']);

    expect((await read(history)).seen).toEqual([1n, 2n]);
  });

  test('includes records of the very moment of the start, and records without a time', async () => {
    const history = fakeHistory({ a: [[change(1, now)], [{ ...change(2), at: undefined }], [change(3)]] }, [
      'a',
    ]);

    expect((await read(history)).seen).toEqual([1n, 2n, 3n]);
  });

  test('reports the earliest time over all pages and shards, if any record has one', async () => {
    const history = fakeHistory({ a: [[change(1, now - 9_000)], [change(2, now - 1_000)]], b: [[]] });
    const timeless = fakeHistory({ a: [[{ ...change(1), at: undefined }]] });

    expect((await read(history)).since).toBe(now - 9_000);
    expect((await read(timeless)).since).toBeUndefined();
  });

  test('counts records that are not a change of an item', async () => {
    const none = { unreadable: 'no keys', record: '1' };
    const history = fakeHistory({ a: [[none, change(2)], [none]], b: [[none]] });

    expect(await read(history)).toMatchObject({ seen: [2n], records: 4, unreadable: 3 });
  });

  test('is left on a stop request', async () => {
    let pages = 0;
    const history = fakeHistory({ a: [[change(1)], [change(2)], [change(3)]] });

    expect(
      (
        await read(history, () => {
          pages += 1;
          return pages > 2;
        })
      ).seen,
    ).toEqual([1n, 2n]);
  });

  test('is not read further after a page that cannot be read', async () => {
    const { history, asked } = fakeHistory({ a: [[change(1)]], b: [[change(2)], [change(3)]] });
    const denied: History = async () => {
      const [, ...others] = await history();
      const page = () => Promise.reject(new Error('no permission'));
      return [{ closed: true, page }, ...others];
    };

    await expect(read({ history: denied })).rejects.toThrow('no permission');
    expect(asked.pages).toBeLessThan(2);
  });
});
