import { readFileSync } from 'node:fs';
import { beforeAll, expect, test, vi } from 'vitest';
import { aggregateCosts, aggregateCostTable } from '../../scripts/cost/aggregate-costs.ts';
import { type Case, type CostRow, costRow, costRows, costTable } from '../../scripts/cost/costs.ts';
import { renameSentence, ruleCosts, ruleCostTable } from '../../scripts/cost/rule-costs.ts';
import { incident, user } from '../../scripts/cost/workloads.ts';
import { noCounts } from '../../src/develop/cost/counts.ts';
import { prices } from '../../src/develop/cost/prices.ts';
import { itemSize } from '../../src/model/item-size.ts';

let rows: readonly CostRow[];
beforeAll(async () => {
  // As in Lambda: a time with an offset makes lines of the log longer.
  vi.stubEnv('TZ', 'UTC');
  rows = await costRows();
});

const what: Case = { copies: 5, by: 'partition', way: 'usual handler' };

test('a million copy writes cost their units, invocations, GB-seconds, messages and logs', () => {
  const { dollars } = costRow(what, {
    ...noCounts(),
    ...{ copiesWritten: 10, writeUnits: 20, readUnits: 30, invocations: 5, milliseconds: 100 },
    ...{ sqsRequests: 15, logBytes: 2 ** 30 / 100_000 },
  });

  expect(dollars.writes).toBeCloseTo(2 * prices.writeUnits, 9);
  expect(dollars.reads).toBeCloseTo(3 * prices.readUnits, 9);
  // Half a GB for 10 ms each: 5,000 GB-seconds.
  expect(dollars.lambda).toBeCloseTo(0.5 * prices.invocations + 0.005 * prices.gbSeconds, 9);
  expect(dollars.sqs).toBeCloseTo(1.5 * prices.sqsRequests, 9);
  expect(dollars.logs).toBeCloseTo(prices.logGb, 9);
  expect(dollars.total).toBeCloseTo(1.25 + 0.375 + 0.1 + 0.066667 + 0.6 + 0.5, 5);
});

test('copies are of 1 KB', () => {
  for (const make of [incident, user])
    expect(make('0000', 3).before.slice(1).map(itemSize)).toEqual([1024, 1024, 1024]);
});

test('a batching window saves invocations of frequent changes, and no units', () => {
  const [none, window] = (['worker, no window', 'worker, window of 1 s'] as const).map((way) =>
    rows.find((row) => row.copies === 5 && row.by === 'partition' && row.way === way),
  );

  expect(window?.counts.invocations).toBeLessThan((none?.counts.invocations ?? 0) / 2);
  expect(window?.counts.writeUnits).toBe(none?.counts.writeUnits);
});

test('the table in docs/aggregates.md equals the output of `npm run cost`', async () => {
  expect(page('docs/aggregates.md')).toContain(aggregateCostTable(await aggregateCosts()));
});

test('the tables in docs/deploy.md and the sentence in README.md equal the output of `npm run cost`', async () => {
  const costs = await ruleCosts();

  expect(page('docs/deploy.md')).toContain(costTable(rows));
  expect(page('docs/deploy.md')).toContain(ruleCostTable(costs));
  expect(page('README.md')).toContain(renameSentence(costs));
});

function page(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}
