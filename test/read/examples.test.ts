import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { mergedPages } from 'stream-denormalizer/read';
import { startTable, type TestTable } from 'stream-denormalizer/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import { incident, participation } from '../../src/rules/incident-items.ts';
import { statusPartitions } from '../../src/rules/order-status-keys.ts';
import { order } from '../../src/rules/shop-items.ts';
import { GSI1, GSI2, table } from '../../src/table.ts';

const StatusShards = 3;
let started: TestTable;
let client: DynamoDBDocument;

beforeAll(async () => {
  started = await startTable(config, { parameters: { StatusShards } });
  client = DynamoDBDocument.from(new DynamoDBClient(started.clientSettings));
});
afterAll(async () => {
  client.destroy();
  await started.close();
});

const put = (Item: Record<string, unknown>) => client.put({ TableName: started.tableName, Item });

/** Reads page after page, as a user who clicks on `more`. */
async function pages(
  page: (cursor: string | undefined) => ReturnType<typeof mergedPages>,
  name: string,
): Promise<unknown[][]> {
  const read: unknown[][] = [];
  let cursor: string | undefined;
  do {
    const { items, cursor: next } = await page(cursor);
    read.push(items.map((item) => item[name]));
    cursor = next;
  } while (cursor !== undefined);
  return read;
}

describe('with the shipped rules', () => {
  test('a user reads the closed incidents of all teams, newest first, each once', async () => {
    const account = '1';
    const teams = ['team_a', 'team_b', 'team_c'];
    const concerned = [
      ['team_a', 'team_b'],
      ['team_b'],
      ['team_c', 'team_a'],
      ['team_a', 'team_b', 'team_c'],
    ];
    for (const [at, participants] of [...concerned, ['team_c']].entries()) {
      const { pk: PK, sk: SK } = incident.key({ account, incident: `${at}` });
      const root = {
        ...{ ID: `inc_${at}`, Title: 'Disk full', Status: 'RESOLVED', State: 'CLOSED' },
        ...{ Number: at, CreatedAt: 1_700_000_000 + at, UpdatedAt: 1_700_000_100 },
      };
      for (const participant of participants) {
        const key = participation.key({ account, incident: `${at}`, participant });
        const GSI1PK = `acct_${account}#${participant}#incpart`;
        await put({ PK: key.pk, SK: key.sk, ParticipantID: participant, GSI1PK, GSI1SK: 'OPEN#' });
      }
      // The last one is not closed yet.
      await put({ PK, SK, ...root, ...(at === concerned.length && { State: 'OPEN' }) });
    }
    await started.idle();

    const read = await pages(
      (cursor) =>
        mergedPages({
          ...{ client, tableName: started.tableName, table, index: GSI1 },
          queries: teams.map((team) => ({ pk: `acct_${account}#${team}#incpart`, begins: 'CLOSED#' })),
          ...{ newestFirst: true, limit: 3, cursor, dedupe: 'ID' },
        }),
      'ID',
    );

    expect(read.flat()).toEqual(['inc_3', 'inc_2', 'inc_1', 'inc_0']);
    expect(read[0]).toHaveLength(3);
  });

  test('a shop reads the orders of a status from all shards, newest first', async () => {
    const days = Array.from(
      { length: 12 },
      (_, day) => `2026-01-${String(day + 1).padStart(2, '0')}T00:00:00Z`,
    );
    for (const [at, CreatedAt] of days.entries()) {
      const { pk: PK, sk: SK } = order.key({ order: `${at}` });
      await put({
        PK,
        SK,
        Type: 'Order',
        UserId: '1',
        Status: at % 4 === 0 ? 'PAID' : 'PENDING',
        Total: 1,
        CreatedAt,
      });
    }
    await started.idle();

    const read = await pages(
      (cursor) =>
        mergedPages({
          ...{ client, tableName: started.tableName, table, index: GSI2 },
          queries: statusPartitions('PENDING', StatusShards).map((pk) => ({ pk })),
          ...{ newestFirst: true, limit: 5, cursor },
        }),
      'CreatedAt',
    );

    expect(read.flat()).toEqual(days.filter((_, at) => at % 4 !== 0).toReversed());
    expect(read[0]).toHaveLength(5);
  });
});
