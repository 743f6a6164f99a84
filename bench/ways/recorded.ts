/** The work as the worker does it, without Lambda, by a client that remembers what it sent and what was answered. */
import {
  BatchExecuteStatementCommand,
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';
import config from '../../denorm.config.ts';
import { clientSettings, withoutLogger } from '../../src/worker/adapters/client-settings.ts';
import { coalescingTable } from '../../src/worker/adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { systemClock } from '../../src/worker/adapters/system-clock.ts';
import { propagate } from '../../src/worker/lambda/propagate.ts';
import { defaultSettings, silentTelemetry } from '../../src/worker/ports.ts';
import { Memory } from '../../src/worker/propagation/item-memory.ts';
import { recordsOf, work } from '../works.ts';
import { connection, tableName, type Way } from './way.ts';

const registry = config.registry({});
const event = { Records: recordsOf(work) };
/** As many as the worker sends at once. */
const atOnce = 8;

interface Sent {
  readonly command: Command;
  readonly answer: object;
}
type Command = QueryCommand | GetItemCommand | BatchExecuteStatementCommand;

export function clientAt(endpoint: string): DynamoDBClient {
  return withoutLogger(new DynamoDBClient({ ...clientSettings, ...connection, endpoint }));
}

/** The same requests by the same client, with no logic between them. */
export const requestsAlone: Way = async (endpoint) => {
  const client = clientAt(endpoint);
  const sent = await recordedAt(client);
  const [query = [], get = [], statements = []] = [
    QueryCommand,
    GetItemCommand,
    BatchExecuteStatementCommand,
  ].map((kind) => sent.filter(({ command }) => command instanceof kind));
  return {
    units: work.copies.length,
    writes: work.copies.length,
    run: async () => {
      const limit = pLimit(atOnce);
      for (const some of [query, get, statements])
        await Promise.all(some.map(({ command }) => limit(() => client.send(again(command)))));
    },
  };
};

/** The worker's own code: what a client would answer is there already. */
export const ownCode: Way = async (endpoint) => {
  const sent = await recordedAt(clientAt(endpoint));
  let answers = new Map<unknown, object[]>();
  const client = clientThat(async (command) => answers.get(command.constructor)?.pop());
  return {
    units: work.copies.length,
    writes: 0,
    // New objects each time, as a client makes them.
    before: () => {
      answers = Map.groupBy(
        structuredClone(sent.map(({ answer }) => answer)),
        (_, index) => sent[index]?.command.constructor,
      );
    },
    run: () => propagateBy(client),
  };
};

async function recordedAt(client: DynamoDBClient): Promise<Sent[]> {
  const sent: Sent[] = [];
  await propagateBy(
    clientThat(async (command) => {
      const { $metadata, ...answer } = await client.send(command as QueryCommand);
      sent.push({ command, answer });
      return answer;
    }),
  );
  return sent;
}

/** A command is sent once. */
function again(command: Command): QueryCommand {
  return Reflect.construct(command.constructor, [command.input]);
}

function clientThat(answerTo: (command: Command) => Promise<object | undefined>): DynamoDBClient {
  return Object.assign(new DynamoDBClient(connection), { send: answerTo });
}

async function propagateBy(client: DynamoDBClient): Promise<void> {
  const context = {
    registry,
    table: coalescingTable(dynamoDbTable({ client, tableName, table: registry.table, concurrency: atOnce })),
    queue: { send: unexpected, deadLetter: unexpected },
    telemetry: silentTelemetry,
    settings: { ...defaultSettings, pageLimit: 1000, fanOutWriteUnits: 40_000 },
    outOfTime: () => false,
    clock: systemClock,
    memory: new Memory(),
  };
  const { batchItemFailures } = await propagate(context, { globalTableReplica: false }, event);
  if (batchItemFailures.length > 0) throw new Error('Expected every record to succeed');
}

async function unexpected(): Promise<never> {
  throw new Error('Expected nothing to be left');
}
