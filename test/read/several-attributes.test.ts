import fc from 'fast-check';
import {
  mergedPages,
  type PartitionQuery,
  type QueryClient,
  type QueryRequest,
} from 'stream-denormalizer/read';
import { expect, test } from 'vitest';

const table = { pk: 'id' } as const;
const index = {
  ...{ name: 'by-region', pk: ['tenant', 'region'] },
  sk: ['status', { name: 'at', type: 'N' }],
} as const;

type Reading = Readonly<Record<string, string | number>>;

const readings = fc.uniqueArray(
  fc.record({
    ...{ id: fc.nat(99).map(String), tenant: fc.constant('t'), region: fc.constantFrom('eu', 'us') },
    ...{ status: fc.constantFrom('closed', 'open'), at: fc.integer({ min: -3, max: 12 }) },
  }),
  { selector: ({ id }) => id, maxLength: 40 },
);
const at = fc.integer({ min: -3, max: 12 });
const query: fc.Arbitrary<PartitionQuery> = fc
  .oneof(
    ...[{}, { sk: ['open'] }, { begins: 'c' }, { from: 'o' }].map((range) => fc.constant(range)),
    fc.record({ sk: fc.constant(['open']), from: at }),
    fc.record({ sk: fc.constant(['closed']), to: at }),
  )
  .map((range) => ({ pk: ['t', 'eu'], ...range }));

const order = ['status', 'at'];

/** By status as text, then by time as a number; equal ones by their ids. */
function inOrder(a: Reading, b: Reading): number {
  return [...order, 'id'].reduce((sum, name) => sum || compare(a[name], b[name]), 0);
}

function compare(a: string | number = '', b: string | number = ''): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Answers a query as DynamoDB does, whatever it names. */
function clientOf(all: readonly Reading[]): QueryClient {
  return {
    async query({ ExpressionAttributeNames: names, ExpressionAttributeValues: values, ...request }) {
      const tests = request.KeyConditionExpression.replace(/BETWEEN (:\w+) AND (:\w+)/, 'BETWEEN $1..$2');
      const fits = (item: Reading) =>
        tests.split(' AND ').every((one) => {
          const [, name = '', sign = '', low = '', high = ''] =
            /(#\w+)(?: (=|>=|<=|BETWEEN)|,) (:\w+)(?:\.\.(:\w+))?/.exec(one) ?? [];
          const value = item[names[name] ?? ''];
          const to = (placeholder: string) => compare(value, values[placeholder] as string | number);
          if (sign === '') return String(value).startsWith(String(values[low]));
          if (sign === '=') return to(low) === 0;
          return (sign === '<=' || to(low) >= 0) && (sign === '>=' || to(sign === '<=' ? low : high) <= 0);
        });
      return pageOf(all.filter(fits), request);
    },
  };
}

function pageOf(
  found: readonly Reading[],
  { ScanIndexForward, ExclusiveStartKey: start, Limit }: Omit<QueryRequest, `Expression${string}`>,
) {
  const sign = ScanIndexForward ? 1 : -1;
  const sorted = found.toSorted((a, b) => sign * inOrder(a, b));
  const Items = sorted
    .filter((item) => start === undefined || sign * inOrder(item, start as Reading) > 0)
    .slice(0, Limit);
  return { Items, LastEvaluatedKey: Items.length < Limit ? undefined : Items.at(-1) };
}

test('pages of an index of several attributes are those of a sorted list', async () => {
  await fc.assert(
    fc.asyncProperty(
      readings,
      fc.array(query, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      async (all, queries, newestFirst, limit) => {
        const at = { client: clientOf(all), tableName: 't', table, index };
        const one = await mergedPages({ ...at, queries, newestFirst, limit: 100 });
        const read: unknown[] = [];
        let cursor: string | undefined;
        do {
          const page = await mergedPages({ ...at, queries, newestFirst, limit, cursor });
          read.push(...page.items);
          cursor = page.cursor;
        } while (cursor !== undefined);

        const keys = one.items.map((item) => order.map((name) => item[name]));
        const sign = newestFirst ? -1 : 1;
        expect(read).toEqual(one.items);
        expect(keys).toEqual(
          keys.toSorted((a, b) => sign * inOrder(Object(readingOf(a)), Object(readingOf(b)))),
        );
        expect(new Set(read)).toEqual(
          new Set(
            (
              await Promise.all(queries.map((each) => mergedPages({ ...at, queries: [each], limit: 100 })))
            ).flatMap(({ items }) => items),
          ),
        );
      },
    ),
    { numRuns: 1_000 },
  );
});

function readingOf([status, when]: unknown[]): object {
  return { status, at: when, id: '' };
}
