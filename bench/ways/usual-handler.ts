/** The handler that most people write: for each record, query the copies with a document client, and update each. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import pLimit, { type LimitFunction } from 'p-limit';
import { recordsOf, work } from '../works.ts';
import { copyQuery, newImage, updateOf, wantedOf } from './copied.ts';
import { connection, tableName, type Way } from './way.ts';

export function usualHandler(atOnce: number): Way {
  return async (endpoint) => {
    const document = DynamoDBDocumentClient.from(new DynamoDBClient({ ...connection, endpoint }));
    const records = recordsOf(work);
    return {
      units: work.copies.length,
      writes: work.copies.length,
      run: async () => {
        const limit = pLimit(atOnce);
        await Promise.all(records.map((record) => fanOut(document, limit, record)));
      },
    };
  };
}

export async function fanOut(
  document: DynamoDBDocumentClient,
  limit: LimitFunction,
  record: DynamoDBRecord,
): Promise<void> {
  const root = newImage(record);
  const query = new QueryCommand({ TableName: tableName, ...copyQuery(root) });
  const { Items = [] } = await limit(() => document.send(query));
  const wanted = wantedOf(root);
  await Promise.all(
    Items.map((copy) => {
      const update = updateOf(copy, wanted);
      return update && limit(() => document.send(new UpdateCommand({ TableName: tableName, ...update })));
    }),
  );
}
