import type { Registry } from '../../model/rules/registry.ts';
import { coalescingTable } from '../adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../adapters/dynamodb/dynamodb-table.ts';
import { sqsQueue } from '../adapters/sqs/sqs-queue.ts';
import { systemClock } from '../adapters/system-clock.ts';
import type { FunctionSettings } from '../environment.ts';
import { pausesReader } from '../pauses.ts';
import { defaultSettings, type TelemetryPort } from '../ports.ts';
import type { PropagationContext } from '../propagation/context.ts';
import { Memory } from '../propagation/item-memory.ts';
import {
  beforeEnd,
  dynamoDbClient,
  oneLargeBody,
  type Remaining,
  reserveForAnswerMs,
  reserveForQueueMs,
  sqsClient,
  until,
} from './clients.ts';

/** An invocation with less time left than this starts no propagation. */
const reserveMs = 10_000;

/** The clients are created once, the context for each invocation. */
export function propagationContext(
  settings: FunctionSettings<'FanOut'>,
  registry: Registry,
  telemetry: TelemetryPort,
): (invocation: Remaining) => PropagationContext {
  const dynamoDb = oneLargeBody(dynamoDbClient());
  const sqs = sqsClient();
  const pauses = pausesReader(registry.table, systemClock);
  return (invocation) => {
    const queueSignal = beforeEnd(invocation, reserveForQueueMs);
    const table = dynamoDbTable({
      client: until(beforeEnd(invocation, reserveForAnswerMs), dynamoDb),
      tableName: settings.tableName,
      table: registry.table,
    });
    return {
      registry,
      table: coalescingTable(table),
      pauses: () => pauses(table),
      queue: sqsQueue({
        client: () => until(queueSignal, sqs()),
        queueUrl: settings.fanOutQueueUrl,
        deadLetterQueueUrl: settings.deadLetterQueueUrl,
      }),
      telemetry,
      settings: { ...defaultSettings, ...settings },
      outOfTime: (ahead = 0) => invocation.getRemainingTimeInMillis() - ahead < reserveMs,
      clock: systemClock,
      memory: new Memory(),
    };
  };
}
