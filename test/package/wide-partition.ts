import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DynamoDBClient,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';
import { loopbackClientSettings } from '../../src/develop/dev/loopback.ts';
import type { ItemKey } from '../../src/model/item.ts';
import { settings } from '../fixtures/application/stack.ts';

const incident = {
  ID: { S: 'inc_wide' },
  CreatedAt: { N: '1614194921' },
  Title: { S: 'It begins' },
  State: { S: 'OPEN' },
};

/**
 * Makes a table as the stack has it, puts one incident with so many participations, and switches the stream on.
 * @returns the key of the incident
 */
export async function seedWidePartition(
  endpoint: string,
  tableName: string,
  copies: number,
  progress: (done: number, all: number) => void,
): Promise<ItemKey> {
  const client = new DynamoDBClient(loopbackClientSettings(endpoint));
  const { StreamSpecification, TimeToLiveSpecification: _, ...shape } = settings.table;
  await client.send(
    new CreateTableCommand({ TableName: tableName, BillingMode: 'PAY_PER_REQUEST', ...shape }),
  );
  const root = { pk: 'acct_1#inc', sk: 'inc_wide' };
  const items = [{ PK: { S: root.pk }, SK: { S: root.sk }, ...incident }, ...participations(copies)];
  const limit = pLimit(8);
  let done = 0;
  await Promise.all(
    Array.from({ length: Math.ceil(items.length / 25) }, (_, batch) =>
      limit(async () => {
        const puts = items.slice(batch * 25, batch * 25 + 25).map((Item) => ({ PutRequest: { Item } }));
        await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } }));
        done += puts.length;
        progress(done, items.length);
      }),
    ),
  );
  await client.send(
    new UpdateTableCommand({
      TableName: tableName,
      StreamSpecification: { StreamEnabled: true, ...StreamSpecification },
    }),
  );
  client.destroy();
  return root;
}

function participations(copies: number) {
  return Array.from({ length: copies }, (_, index) => {
    const id = `user_${String(index).padStart(6, '0')}`;
    return {
      PK: { S: 'acct_1#inc_wide#incpart' },
      SK: { S: id },
      ...incident,
      ParticipantID: { S: id },
      GSI1PK: { S: `acct_1#${id}#incpart` },
      GSI1SK: { S: 'OPEN#2021-02-24T19:28:41Z' },
    };
  });
}
