import fc from 'fast-check';
import { type MergedPagesOptions, mergedPages, type PartitionQuery } from 'stream-denormalizer/read';
import { describe, expect, test } from 'vitest';
import { type Position, toCursor } from '../../src/read/cursor.ts';
import { querySet } from '../../src/read/merged-pages.ts';
import { index, Partitions, type StoredItem, table } from './partitions.ts';
import { type Case, casesOf, expected, itemOf, readWhileWritten } from './reading.ts';

const cases = casesOf('S', 'N', 'B');

const stored = (PK: string, SK: string, more: Record<string, unknown> = {}): StoredItem => ({
  PK,
  SK,
  ...more,
});
const itemsOf = (one: Case) => one.stored.map((each) => itemOf(one, each));
const queries: readonly PartitionQuery[] = [{ pk: 'a' }, { pk: 'b' }];

/** Positions that no page of these queries need have ended at. */
const positions: fc.Arbitrary<Position> = fc.record({
  sk: fc.constantFrom('', 'a', 'b', 'b\u{1f600}', 'm', 's', 'z').map((sk) => [sk]),
  last: fc
    .array(
      fc.tuple(
        fc.integer({ min: -1, max: 4 }),
        fc.tuple(fc.constantFrom('p0', 'secret', 'item 0 1'), fc.constantFrom('', 'a', 's', 'x')),
      ),
    )
    .map((entries) => new Map(entries)),
  values: fc.constantFrom([], ['N1'], ['Sx']).map((values) => new Set<string>(values)),
});

async function allPages(client: Partitions, options: Partial<MergedPagesOptions> = {}): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  let cursor: string | undefined;
  do {
    const page = await mergedPages({ client, tableName: 't', table, queries, limit: 2, ...options, cursor });
    pages.push(page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

describe('merged pages, whatever is stored, asked for and written meanwhile,', () => {
  test('are those of a sorted list', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const client = new Partitions();
        client.put(...itemsOf(one));
        const pages = await allPages(client, one.options);

        expect(pages.flat()).toEqual(expected(one, client.all()));
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(one.options.limit);
      }),
      { numRuns: 1_000 },
    );
  });

  test('neither lose nor repeat an item', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const client = new Partitions();
        client.put(...itemsOf(one));
        await readWhileWritten(one, client, client);
      }),
      { numRuns: 1_000 },
    );
  });

  test('read at most one page of a partition more than they return of it', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const client = new Partitions();
        client.put(...itemsOf(one));
        const { dedupe: _, ...options } = one.options;
        let cursor: string | undefined;
        do {
          client.requests.length = 0;
          const page = await mergedPages({ client, tableName: 't', table, ...options, cursor });
          cursor = page.cursor;
          const names = options.index ?? table;
          for (const { pk } of options.queries) {
            const requests = client.requests.filter(
              ({ ExpressionAttributeValues: { ':pk': of } }) => of === pk,
            );
            const returned = page.items.filter((item) => item[names.pk] === pk).length;
            const queriesOfIt = options.queries.filter((query) => query.pk === pk).length;

            expect(requests.length).toBeLessThanOrEqual(Math.floor(returned / options.limit) + queriesOfIt);
          }
        } while (cursor !== undefined);
      }),
      { numRuns: 500 },
    );
  });

  test('contain nothing but items of the queries, even with a forged cursor', async () => {
    await fc.assert(
      fc.asyncProperty(casesOf('S'), positions, async (one, position) => {
        const client = new Partitions();
        client.put(...itemsOf(one), stored('secret', 's', { GSI1PK: 'secret', GSI1SK: 's', id: 's' }));
        const all = expected({ ...one, options: { ...one.options, dedupe: undefined } }, client.all());
        const page = await mergedPages({
          ...{ client, tableName: 't', table, ...one.options },
          cursor: toCursor(position, querySet({ tableName: 't', ...one.options }).identity),
        });

        for (const item of page.items) expect(all).toContainEqual(item);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a page', () => {
  test('asks each partition once for as many items as it may return', async () => {
    const client = new Partitions();
    for (const PK of ['a', 'b', 'c']) for (const SK of ['1', '2', '3']) client.put(stored(PK, SK));
    const { items, cursor } = await mergedPages({
      ...{ client, tableName: 't', table, limit: 3 },
      queries: [{ pk: 'a' }, { pk: 'b' }, { pk: 'c' }],
    });

    expect(items).toEqual([stored('a', '1'), stored('b', '1'), stored('c', '1')]);
    expect(cursor).toEqual(expect.any(String));
    expect(client.requests.map(({ Limit }) => Limit)).toEqual([3, 3, 3]);
  });

  test('asks no partition that the cursor has passed', async () => {
    const client = new Partitions();
    client.put(stored('a', 'm1'), stored('b', 'x1'), stored('b', 'x2'));
    const options = {
      ...{ client, tableName: 't', table, limit: 2 },
      queries: [
        { pk: 'a', begins: 'm' },
        { pk: 'b', begins: 'x' },
      ],
    };
    const { cursor } = await mergedPages(options);
    client.requests.length = 0;
    const { items } = await mergedPages({ ...options, cursor });

    expect(items).toEqual([stored('b', 'x2')]);
    expect(client.requests.map(({ ExpressionAttributeValues }) => ExpressionAttributeValues[':pk'])).toEqual([
      'b',
    ]);
  });

  test('reads on after an empty page that is not the last', async () => {
    const answers = [
      { Items: [], LastEvaluatedKey: stored('a', '0') },
      { Items: [stored('a', '1')], LastEvaluatedKey: stored('a', '1') },
    ];
    const query = async () => answers.shift() ?? { Items: [] };
    const options = { client: { query }, tableName: 't', table, queries: [{ pk: 'a' }], limit: 2 };

    expect(await mergedPages(options)).toEqual({ items: [stored('a', '1')], cursor: undefined });
    expect(answers).toEqual([]);
  });

  test('is empty without queries, and asks for nothing', async () => {
    const client = new Partitions();

    expect(await allPages(client, { queries: [] })).toEqual([[]]);
    expect(client.requests).toEqual([]);
  });

  test('reads a query that is given twice once', async () => {
    const client = new Partitions();
    client.put(stored('a', '1'));

    expect(await allPages(client, { queries: [{ pk: 'a' }, { pk: 'a' }] })).toEqual([[stored('a', '1')]]);
    expect(client.requests).toHaveLength(1);
  });

  test('asks once for what begins with a prefix, even if an item is at the end of it', async () => {
    const client = new Partitions();
    client.put(stored('a', 'b1'), stored('a', 'b2'), stored('b', 'c'), stored('b', 'd'));
    const options = { queries: [{ pk: 'a' }, { pk: 'b', begins: 'b' }], limit: 1 };
    const { cursor } = await mergedPages({ client, tableName: 't', table, ...options });
    client.requests.length = 0;

    await mergedPages({ client, tableName: 't', table, ...options, cursor });

    const asked = client.requests.map(({ ExpressionAttributeValues: { ':pk': pk } }) => pk);
    expect(asked.filter((pk) => pk === 'b')).toEqual(['b']);
  });

  test('keeps the items that have no value to be de-duplicated by', async () => {
    const client = new Partitions();
    client.put(
      stored('a', '1'),
      stored('b', '1'),
      stored('b', '2', { id: null }),
      stored('b', '3', { id: null }),
    );

    expect((await allPages(client, { dedupe: 'id' })).flat()).toHaveLength(4);
  });

  test('fails as the client fails', async () => {
    const failure = new Error('ProvisionedThroughputExceededException');
    const client = { query: () => Promise.reject(failure) };

    await expect(mergedPages({ client, tableName: 't', table, queries, limit: 2 })).rejects.toBe(failure);
  });

  test('refuses numbers in keys that JavaScript rounds', async () => {
    const client = new Partitions();
    const query = async () => ({ Items: [{ PK: 'a', SK: { value: '0.12345678901234567890' } }] });

    await expect(
      mergedPages({ client: { query }, tableName: 't', table, queries, limit: 2 }),
    ).rejects.toMatchObject({ code: 'read.inexact-number' });
    expect(client.requests).toEqual([]);
  });

  test.each([
    ['a limit of 0', { limit: 0 }, 'read.count'],
    ['a limit that is not whole', { limit: 1.5 }, 'read.count'],
    ['a query with a prefix and a bound', { queries: [{ pk: 'a', begins: 'x', to: 'y' }] }, 'read.query'],
    ['bounds of two types', { queries: [{ pk: 'a', from: 1, to: 'y' }] }, 'read.key-type'],
    ['other names of keys', { table: { pk: 'PK', sk: 'sort' } }, 'read.no-key'],
  ])('refuses %s', async (_, options, code) => {
    const client = new Partitions();
    client.put(stored('a', '1'));

    await expect(allPages(client, options)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^Expected .*, got /),
    });
  });
});

describe('a cursor', () => {
  const client = new Partitions();
  client.put(stored('a', '1'), stored('a', '2'), stored('b', '3'), stored('b', '4'));
  const options = { client, tableName: 't', table, queries, limit: 2 };
  const cursorOf = async (more: Partial<MergedPagesOptions> = {}) =>
    (await mergedPages({ ...options, ...more })).cursor ?? '';

  test('goes on with another limit, and with the queries in another order', async () => {
    const cursor = await cursorOf();
    const { items } = await mergedPages({ ...options, queries: queries.toReversed(), limit: 9, cursor });

    expect(items).toEqual([stored('b', '3'), stored('b', '4')]);
  });

  test('can be a part of a URL', async () => {
    expect(await cursorOf()).toMatch(/^[\w-]+$/);
  });

  test('is no longer with more partitions', async () => {
    const more = Array.from({ length: 100 }, (_, number) => ({ pk: `p${number}` }));

    expect((await cursorOf({ queries: [...queries, ...more] })).length).toBe((await cursorOf()).length);
  });

  test.each<readonly [string, (cursor: string) => Partial<MergedPagesOptions>]>([
    ['of other partitions', (cursor) => ({ cursor, queries: [{ pk: 'a' }] })],
    ['of another range', (cursor) => ({ cursor, queries: [{ pk: 'a', from: '1' }, { pk: 'b' }] })],
    ['of another direction', (cursor) => ({ cursor, newestFirst: true })],
    ['of another table', (cursor) => ({ cursor, tableName: 'other' })],
    ['of another index', (cursor) => ({ cursor, index })],
    ['with another dedupe', (cursor) => ({ cursor, dedupe: 'id' })],
    ['that is cut off', (cursor) => ({ cursor: cursor.slice(0, -3) })],
    ['that is changed', (cursor) => ({ cursor: changed(cursor) })],
    ['that is empty', () => ({ cursor: '' })],
    ['that is a word', () => ({ cursor: 'next' })],
    ['that is JSON', () => ({ cursor: Buffer.from('{"PK":"a"}').toString('base64url') })],
  ])('%s is refused with a sentence', async (_, change) => {
    await expect(mergedPages({ ...options, ...change(await cursorOf()) })).rejects.toMatchObject({
      code: 'read.cursor',
      message: expect.stringMatching(/^Expected the cursor of a page .* start again without a cursor$/),
    });
  });
});

/** The cursor with another position. */
function changed(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  expect(text).toContain('["S","2"]');
  return Buffer.from(text.replaceAll('["S","2"]', '["S","1"]')).toString('base64url');
}
