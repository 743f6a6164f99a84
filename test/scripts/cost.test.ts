import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Case, type CostRow, costRow, costRows, costTable } from '../../scripts/cost/costs.ts';
import { assumed, countUsual, countWorker, quiet } from '../../scripts/cost/counted-runs.ts';
import { noCounts } from '../../scripts/cost/counts.ts';
import { prices } from '../../scripts/cost/prices.ts';
import { incident, user } from '../../scripts/cost/workloads.ts';
import { itemSize } from '../../src/model/item-size.ts';

/** Changes in a quiet run of fan-outs of 5. */
const changes = quiet.copies / 5;

let rows: readonly CostRow[];
beforeAll(async () => {
  rows = await costRows();
});

const what: Case = { copies: 5, by: 'partition', load: 'quiet', way: 'usual handler' };

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

describe('a change with five copies', () => {
  test('by partition: a page of 2 units, the root, and the root once for each batch that comes back', async () => {
    const counts = await countWorker(incident, quiet, 5, 0);

    expect(counts.copiesWritten).toBe(quiet.copies);
    expect(counts.writeUnits).toBe(2 * quiet.copies);
    expect(counts.requests).toMatchObject({ Query: changes, BatchExecuteStatement: changes });
    // One invocation for the root, one of Archive, the others for copies that come back.
    const comeBack = counts.invocations - 2 * changes;
    expect(comeBack / changes).toBeGreaterThan(2);
    expect(comeBack / changes).toBeLessThanOrEqual(4);
    expect(counts.requests['GetItem']).toBe(changes + comeBack);
    expect(counts.readUnits).toBe(3 * changes + comeBack);
    expect(counts.sqsRequests).toBe(0);
  });

  test('by index: the copies by their keys, all of it twice, and a message', async () => {
    const counts = await countWorker(user, quiet, 5, 0);

    expect(counts.writeUnits).toBe(2 * quiet.copies);
    expect(counts.requests).toMatchObject({ 'Query of an index': 2 * changes, BatchGetItem: 2 * changes });
    expect(counts.sqsRequests).toBe(3 * changes);
  });

  test('by the usual handler: a page at half the price, and a request for each copy', async () => {
    const counts = await countUsual(incident, quiet, 5);

    expect(counts.requests).toEqual({ Query: changes, UpdateItem: quiet.copies });
    expect([counts.writeUnits, counts.readUnits]).toEqual([2 * quiet.copies, changes]);
    expect(counts.invocations).toBe(changes);
    expect(counts.milliseconds).toBeGreaterThan(changes * (assumed.invocation + 6 * assumed.request));
  });
});

test('a batching window saves invocations of frequent changes, and no units', () => {
  const [none, window] = (['worker, no window', 'worker, window of 1 s'] as const).map((way) =>
    rows.find((row) => row.copies === 5 && row.by === 'partition' && row.load === 'busy' && row.way === way),
  );

  expect(window?.counts.invocations).toBeLessThan((none?.counts.invocations ?? 0) / 2);
  expect(window?.counts.writeUnits).toBe(none?.counts.writeUnits);
});

test('the table in docs/deploy.md equals the output of `npm run cost`', () => {
  const docs = readFileSync(new URL('../../docs/deploy.md', import.meta.url), 'utf8');

  expect(docs).toContain(costTable(rows));
});
