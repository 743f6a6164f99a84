import { type ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';

/** The units that a server reports. */
export interface Charged {
  readUnits: number;
  /** Of the table and of each index. */
  writeUnits: Record<string, number>;
}

const reading = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand']);
const writing = new Set([
  'UpdateItemCommand',
  'BatchExecuteStatementCommand',
  'TransactWriteItemsCommand',
  'PutItemCommand',
]);

/** A client that requests the cost of each request, and adds up the answers. */
export function meteredClient(endpoint: string): {
  readonly client: DynamoDBClient;
  readonly charged: Charged;
} {
  const client = new DynamoDBClient(loopbackClientSettings(endpoint));
  const charged: Charged = { readUnits: 0, writeUnits: {} };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        if (!reading.has(commandName) && !writing.has(commandName)) return next(call);
        const answer = await next({ ...call, input: { ...call.input, ReturnConsumedCapacity: 'INDEXES' } });
        const said = answer.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };
        for (const one of [said.ConsumedCapacity ?? []].flat()) add(charged, one, reading.has(commandName));
        return answer;
      },
    { step: 'initialize', name: 'meter' },
  );
  return { client, charged };
}

function add(
  charged: Charged,
  { CapacityUnits = 0, Table, GlobalSecondaryIndexes = {} }: ConsumedCapacity,
  read: boolean,
): void {
  if (read) {
    charged.readUnits += CapacityUnits;
    return;
  }
  const arms = { table: Table, ...GlobalSecondaryIndexes };
  for (const [name, arm] of Object.entries(arms))
    charged.writeUnits[name] = (charged.writeUnits[name] ?? 0) + (arm?.CapacityUnits ?? 0);
}
