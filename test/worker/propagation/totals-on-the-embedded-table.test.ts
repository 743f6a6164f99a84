import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { openDevEnvironment } from '../../../src/develop/dev/dev-environment.ts';
import { deadLetterFolder } from '../../../src/develop/dev/queue/dead-letter-folder.ts';
import { ApplicationTable } from '../../../src/develop/dev/table/application-table.ts';
import type { Aggregate } from '../../../src/model/aggregate.ts';
import { defineAggregate } from '../../../src/model/define-aggregate.ts';
import { defineKind } from '../../../src/model/kind.ts';
import { count, sum } from '../../../src/model/reducers.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import { GSI1, table } from '../../../src/table.ts';
import { settingsFor } from '../../fixtures/application/stack.ts';
import { newFolder } from '../../suites/new-folder.ts';

const product = defineKind({
  name: 'Product',
  type: 'Product',
  pk: 'PRODUCT#{product}',
  sk: 'PRODUCT',
  attributes: z.object({ Revenue: z.number(), Sales: z.number() }),
});

/** A bucket: target of the sales of a day, and member of the product. */
const day = defineKind({
  name: 'Day',
  type: 'Day',
  pk: 'PRODUCT#{product}',
  sk: 'DAY#{day}',
  attributes: z.object({ Revenue: z.number().optional(), Sales: z.number().optional() }),
});

const sale = defineKind({
  name: 'Sale',
  type: 'Sale',
  pk: 'SALES#{product}#{day}',
  sk: 'SALE#{sale}',
  attributes: z.object({ Amount: z.number(), [GSI1.pk]: z.string(), [GSI1.sk]: z.string() }),
});

/** In one step: all sales of a product, by an index. */
const inOneStep = defineAggregate({
  name: 'revenue-of-product',
  of: sale,
  on: product,
  members: { in: 'index', index: GSI1, at: ({ ids }) => ({ pk: product.pk(ids), begins: 'SALE#' }) },
  targetsOf: ({ ids }) => [product.key(ids)],
  computes: { Revenue: sum('Amount'), Sales: count() },
});

const revenueOfDay = defineAggregate({
  name: 'revenue-of-day',
  of: sale,
  on: day,
  members: { in: 'partition', at: ({ ids }) => ({ pk: sale.pk(ids) }) },
  targetsOf: ({ ids }) => [day.key(ids)],
  computes: { Revenue: sum('Amount'), Sales: count() },
  limit: 4,
});

const revenueOfProduct = defineAggregate({
  name: 'revenue-of-product',
  of: day,
  on: product,
  members: { in: 'partition', at: ({ ids }) => ({ pk: day.pk(ids), begins: 'DAY#' }) },
  targetsOf: ({ ids }) => [product.key(ids)],
  computes: { Revenue: sum('Revenue'), Sales: sum('Sales') },
  limit: 4,
});

const mug = { PK: 'PRODUCT#mug', SK: 'PRODUCT', Type: 'Product' };
const days = ['1', '2'].map((name) => ({ PK: mug.PK, SK: `DAY#${name}`, Type: 'Day' }));
const mugKey = { pk: mug.PK, sk: mug.SK };

function aSale(ofDay: string, id: number, Amount: number) {
  const keys = { PK: `SALES#mug#${ofDay}`, SK: `SALE#${id}`, GSI1PK: mug.PK, GSI1SK: `SALE#${ofDay}-${id}` };
  return { ...keys, Type: 'Sale', Amount };
}

/** Six sales of 0.1 and 0.2 on two days: no total of them is exact in binary. */
const sales = days.flatMap((_, of) => [0.1, 0.2, 0.1].map((amount, id) => aSale(String(of + 1), id, amount)));

/** The embedded table with a worker of these aggregates, which reads two members a page. */
async function tableWith(...aggregates: readonly Aggregate[]) {
  const registry = makeRegistry(table, [], [], [], aggregates);
  const stack = settingsFor(registry);
  const folder = newFolder();
  const worker = await openDevEnvironment({
    registry,
    stack: {
      ...stack,
      Propagate: { ...stack.Propagate, MaximumBatchingWindowInSeconds: 0 },
      pageLimit: 2,
    },
    tableName: 'app',
    stateDir: folder,
  });
  const application = new ApplicationTable(worker.endpoint, 'app', table);
  onTestFinished(async () => {
    application.close();
    await worker.close();
  });
  return { worker, application, deadLetters: deadLetterFolder(folder) };
}

test('sums of members on several pages of an index are exact, whatever comes at once, changes and goes', async () => {
  const { worker, application, deadLetters } = await tableWith(inOneStep);
  await Promise.all([mug, ...sales].map((item) => application.put(item)));
  await worker.idle();
  worker.deliverDelayedNow();
  await worker.idle();
  expect(await application.getRaw(mugKey)).toMatchObject({ Revenue: { N: '0.8' }, Sales: { N: '6' } });

  await Promise.all([
    application.put(aSale('1', 1, 0.3)),
    application.delete({ pk: 'SALES#mug#2', sk: 'SALE#0' }),
    application.update(mugKey, { Revenue: 1_000_000 }),
  ]);
  await worker.idle();
  worker.deliverDelayedNow();
  await worker.idle();

  expect(await application.getRaw(mugKey)).toMatchObject({ Revenue: { N: '0.8' }, Sales: { N: '5' } });
  expect((await deadLetters.look()).deadLetters).toEqual([]);
});

test('more members than the limit are a dead letter that names the remedy, and the target stays as it is', async () => {
  const { worker, application, deadLetters } = await tableWith({ ...inOneStep, limit: 4 });
  for (const item of [mug, ...sales.slice(0, 4)]) await application.put(item);
  await worker.idle();
  const before = await application.getRaw(mugKey);
  for (const item of sales.slice(4)) await application.put(item);
  await worker.idle();

  expect(await application.getRaw(mugKey)).toEqual(before);
  const [first] = (await deadLetters.look()).deadLetters;
  expect(first).toMatchObject({
    code: 'target.too-many-members',
    reason: expect.stringContaining('aggregate Sale in two steps, first into buckets'),
    message: { rule: 'revenue-of-product', root: mugKey },
  });
});

test('the remedy, an aggregate whose targets are the members of another, is exact under the same limit', async () => {
  const { worker, application, deadLetters } = await tableWith(revenueOfDay, revenueOfProduct);
  await Promise.all([mug, ...days, ...sales].map((item) => application.put(item)));
  await worker.idle();
  expect(await application.getRaw(mugKey)).toMatchObject({ Revenue: { N: '0.8' }, Sales: { N: '6' } });

  await Promise.all([
    application.put(aSale('1', 1, 0.7)),
    application.delete({ pk: 'SALES#mug#2', sk: 'SALE#0' }),
    application.update({ pk: mug.PK, sk: 'DAY#2' }, { Revenue: 99 }),
  ]);
  await worker.idle();

  expect(await application.getRaw({ pk: mug.PK, sk: 'DAY#1' })).toMatchObject({ Revenue: { N: '0.9' } });
  expect(await application.getRaw({ pk: mug.PK, sk: 'DAY#2' })).toMatchObject({ Revenue: { N: '0.3' } });
  expect(await application.getRaw(mugKey)).toMatchObject({ Revenue: { N: '1.2' }, Sales: { N: '5' } });
  expect((await deadLetters.look()).deadLetters).toEqual([]);
});
