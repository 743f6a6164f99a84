import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings } from '../adapters/client-settings.ts';
import { coalescingTable } from '../adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../adapters/dynamodb/dynamodb-table.ts';
import {
  beforeEnd,
  type Remaining,
  reserveForAnswer,
  reserveForQueue,
  until,
} from '../adapters/lambda/until-end.ts';
import { sqsQueue } from '../adapters/sqs/sqs-queue.ts';
import type { PropagationConfig } from '../config.ts';
import type { Registry } from '../model/registry.ts';
import { defaultSettings, type TelemetryPort } from '../ports.ts';
import type { PropagationContext } from '../propagation/context.ts';

/** An invocation with less time left than this begins nothing new, in milliseconds. */
const reserve = 10_000;

// Made once for each execution environment: connections are reused by every invocation.
const dynamoDb = new DynamoDBClient(clientSettings);
const sqs = new SQSClient(clientSettings);

/** The engine of the functions that take turns, for one invocation. */
export function propagationContext(
  config: PropagationConfig,
  registry: Registry,
  telemetry: TelemetryPort,
  context: Remaining,
): PropagationContext {
  const { TABLE_NAME, FAN_OUT_QUEUE_URL, DEAD_LETTER_QUEUE_URL, PAGE_LIMIT, RECHECK_DELAY_SECONDS } = config;
  const client = until(beforeEnd(context, reserveForAnswer), dynamoDb);
  const queueClient = until(beforeEnd(context, reserveForQueue), sqs);
  const table = dynamoDbTable({
    client,
    tableName: TABLE_NAME,
    table: registry.table,
    fellBack: (statements) => telemetry.fellBack(statements),
  });
  return {
    registry,
    table: coalescingTable(table, registry.table),
    queue: sqsQueue({
      client: queueClient,
      queueUrl: FAN_OUT_QUEUE_URL,
      deadLetterQueueUrl: DEAD_LETTER_QUEUE_URL,
    }),
    telemetry,
    settings: { ...defaultSettings, pageLimit: PAGE_LIMIT, recheckDelaySeconds: RECHECK_DELAY_SECONDS },
    outOfTime: () => context.getRemainingTimeInMillis() < reserve,
    now: Date.now,
  };
}
