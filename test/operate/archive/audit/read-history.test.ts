import { describe, expect, test } from 'vitest';
import type { Change, Unreadable } from '../../../../src/model/change.ts';
import {
  type HistoryPage,
  type HistoryPort,
  readHistory,
} from '../../../../src/operate/archive/audit/read-history.ts';
import { VirtualClock } from '../../../fixtures/virtual-clock.ts';

const clock = new VirtualClock();
const now = clock.now();

/** Shards of pages; after its last page, an open shard continues with empty ones. */
class FakeHistory implements HistoryPort {
  asked = 0;
  private readonly pages: Readonly<Record<string, readonly (readonly (Change | Unreadable)[])[]>>;
  private readonly open: readonly string[];

  constructor(
    pages: Readonly<Record<string, readonly (readonly (Change | Unreadable)[])[]>>,
    open: readonly string[] = [],
  ) {
    this.pages = pages;
    this.open = open;
  }

  async shards() {
    return Object.keys(this.pages).map((id) => ({ id, closed: !this.open.includes(id) }));
  }

  async page(shard: string, from = '0'): Promise<HistoryPage> {
    this.asked += 1;
    if (this.asked > 1_000) throw new Error('Expected an end');
    const pages = this.pages[shard] ?? [];
    const at = Number(from);
    const last = at >= pages.length - 1 && !this.open.includes(shard);
    return { changes: pages[at] ?? [], next: last ? undefined : String(at + 1) };
  }
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

async function read(history: HistoryPort, stop?: () => boolean) {
  const seen: bigint[] = [];
  const outcome = await readHistory({
    history,
    clock,
    pause: 250,
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
    const history = new FakeHistory({ a: [[change(1)], [], [change(2)]], b: [[change(3, now - 5_000)]] });

    expect(await read(history)).toEqual({
      seen: [1n, 3n, 2n],
      records: 3,
      unreadable: 0,
      since: now - 5_000,
    });
  });

  test('is read past any number of empty pages of a closed shard', async () => {
    const history = new FakeHistory({ a: [[change(1)], ...empties(40), [change(2)]] });

    expect((await read(history)).seen).toEqual([1n, 2n]);
  });

  test('is read past empty pages, and an open shard ends after twenty of them', async () => {
    const history = new FakeHistory({ a: [[change(1)], ...empties(19), [change(2)]] }, ['a']);

    expect((await read(history)).seen).toEqual([1n, 2n]);
    expect(history.asked).toBe(1 + 19 + 1 + 20);
  });

  test('ends when an open shard reaches records that are newer than the start of the read', async () => {
    const history = new FakeHistory({ a: [[change(1)], [change(2, now + 3_600_000)], [change(3)]] }, ['a']);

    expect((await read(history)).seen).toEqual([1n, 2n]);
  });

  test('includes records of the very moment of the start, and records without a time', async () => {
    const history = new FakeHistory(
      { a: [[change(1, now)], [{ ...change(2), at: undefined }], [change(3)]] },
      ['a'],
    );

    expect((await read(history)).seen).toEqual([1n, 2n, 3n]);
  });

  test('reports the earliest time over all pages and shards, and none if no record has a time', async () => {
    const history = new FakeHistory({ a: [[change(1, now - 9_000)], [change(2, now - 1_000)]], b: [[]] });
    const timeless = new FakeHistory({ a: [[{ ...change(1), at: undefined }]] });

    expect((await read(history)).since).toBe(now - 9_000);
    expect((await read(timeless)).since).toBeUndefined();
  });

  test('counts records that are not a change of an item', async () => {
    const none = { unreadable: 'no keys', record: '1' };
    const history = new FakeHistory({ a: [[none, change(2)], [none]], b: [[none]] });

    expect(await read(history)).toMatchObject({ seen: [2n], records: 4, unreadable: 3 });
  });

  test('is left on a stop request', async () => {
    let pages = 0;
    const history = new FakeHistory({ a: [[change(1)], [change(2)], [change(3)]] });

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
    const history = new FakeHistory({ a: [[change(1)]], b: [[change(2)], [change(3)]] });
    const page = history.page.bind(history);
    history.page = async (shard, from) => {
      if (shard === 'a') throw new Error('no permission');
      return page(shard, from);
    };

    await expect(read(history)).rejects.toThrow('no permission');
    expect(history.asked).toBeLessThan(2);
  });
});
