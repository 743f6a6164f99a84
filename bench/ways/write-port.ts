/** The writes alone: 25 statements a request, 16 requests at once. What the handler plans for this work is planned before. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import config from '../../denorm.config.ts';
import { keyIn } from '../../src/model/items/item.ts';
import { planCheck } from '../../src/plan/plan-copy.ts';
import { clientSettings, withoutLogger } from '../../src/worker/adapters/client-settings.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import type { Fan } from '../works.ts';
import { connection, tableName, type Way } from './way.ts';

const { table, rules } = config.registry({});

export const writePort: Way = async (work, endpoint) => {
  const updates = updatesOf(work);
  const client = withoutLogger(new DynamoDBClient({ ...clientSettings, ...connection, endpoint }));
  return async () => {
    const outcomes = await dynamoDbTable({ client, tableName, table, concurrency: 16 }).update(updates);
    if (outcomes.some((outcome) => outcome !== 'written'))
      throw new Error('Expected every copy to be written');
  };
};

function updatesOf({ after, copies }: Fan) {
  const rootKey = keyIn(table, after);
  return copies.flatMap((copy) =>
    rules.flatMap((rule) => {
      const plan = planCheck({ rule, rootKey, root: after }, { key: keyIn(table, copy), image: copy });
      return plan.is === 'update' ? [plan.write] : [];
    }),
  );
}
