import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { count, defineAggregate, defineConfig, defineKind, sum } from 'stream-denormalizer';
import { startTable } from 'stream-denormalizer/testing';
import { expect } from 'vitest';
import * as z from 'zod';
import { Random } from '../../src/examples/random.ts';
import { table } from '../../src/table.ts';

const day = defineKind({
  ...{ name: 'Day', type: 'Day', pk: 'SHOP#{shop}', sk: 'DAY#{day}' },
  attributes: z.object({ Orders: z.number(), Revenue: z.number() }),
});

const order = defineKind({
  ...{ name: 'Order', type: 'Order', pk: 'SHOP#{shop}', sk: 'ORDER#{day}#{order}' },
  attributes: z.object({ Total: z.number() }),
});

const ordersOfDay = defineAggregate({
  ...{ name: 'orders-of-day', of: order, on: day, creates: true, onEmpty: 'delete' },
  members: {
    in: 'partition',
    at: ({ ids }) => ({ pk: order.pk({ shop: ids.shop }), begins: `ORDER#${ids.day}#` }),
  },
  targetsOf: ({ ids }) => [day.key(ids)],
  computes: { Orders: count(), Revenue: sum('Total') },
});

const days = 100;

/**
 * So many orders come twice, in any order, the second time with another total; a fifth go then, and another fifth last, with all
 * of one day. Then the worker has made the totals of each other day.
 */
export async function expectDayTotals(orders: number): Promise<void> {
  const random = new Random(orders);
  const there = new Map<string, { readonly DAY: string; readonly Total: number }>();
  const opened = await startTable(defineConfig({ table, rules: [], aggregates: [ordersOfDay] }));
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(opened.clientSettings));

  async function write(ids: readonly number[], totalOf: (id: number) => number | undefined) {
    const left = ids.map((id) => ({ id, at: random.next() })).toSorted((one, other) => one.at - other.at);
    for (let some = left.splice(0, 25); some.length > 0; some = left.splice(0, 25)) {
      const requests = some.map(({ id }) => {
        const DAY = `${id % days}`;
        const { pk: PK, sk: SK } = order.key({ shop: 'a', day: DAY, order: `${id}` });
        const Total = totalOf(id);
        if (Total === undefined) {
          there.delete(SK);
          return { DeleteRequest: { Key: { PK, SK } } };
        }
        there.set(SK, { DAY, Total });
        return { PutRequest: { Item: { PK, SK, Type: 'Order', Total } } };
      });
      await client.send(new BatchWriteCommand({ RequestItems: { [opened.tableName]: requests } }));
    }
  }

  try {
    const all = Array.from({ length: orders }, (_, id) => id);
    await write(all, (id) => id);
    await write(all, () => (random.chance(0.2) ? undefined : random.int(0, 1000)));
    const last = all.filter((id) => id % days === 0 || random.chance(0.2));
    await write(last, () => undefined);
    await opened.idle();
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: opened.tableName,
        KeyConditionExpression: 'PK = :pk AND begins_with(SK, :sk)',
        ExpressionAttributeValues: { ':pk': 'SHOP#a', ':sk': 'DAY#' },
      }),
    );
    const byDay = Map.groupBy(there.values(), ({ DAY }) => `DAY#${DAY}`);
    const expected = [...byDay].map(([SK, own]) => {
      const Revenue = own.reduce((revenue, { Total }) => revenue + Total, 0);
      return { PK: 'SHOP#a', SK, Type: 'Day', Orders: own.length, Revenue };
    });
    expect(new Set(Items)).toEqual(new Set(expected));
    expect(Items.length).toBeLessThan(days);
  } finally {
    client.destroy();
    await opened.close();
  }
}
