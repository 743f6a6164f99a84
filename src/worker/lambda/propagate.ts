import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Config } from '../../model/config.ts';
import type { Registry } from '../../model/registry.ts';
import { clientSettings, oneLargeBody, withoutLogger } from '../adapters/client-settings.ts';
import { coalescingTable } from '../adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../adapters/dynamodb/dynamodb-table.ts';
import { sqsQueue } from '../adapters/sqs/sqs-queue.ts';
import type { ExpiryEvidence } from '../adapters/stream-record.ts';
import { systemClock } from '../adapters/system-clock.ts';
import type { FunctionSettings } from '../environment.ts';
import { defaultSettings, type TelemetryPort } from '../ports.ts';
import type { PropagationContext } from '../propagation/context.ts';
import { fanOutBatch, readMessage } from '../propagation/fan-out-batch.ts';
import { Memory } from '../propagation/item-memory.ts';
import { propagateBatch } from '../propagation/propagate-batch.ts';
import { queueResponse, requireStreamOf, streamResponse } from './batch-response.ts';
import { handler, type Invoked } from './handler.ts';
import { beforeEnd, type Remaining, reserveForAnswer, reserveForQueue, until } from './until-end.ts';

/** The handler of `Propagate`, which reads the table's stream and updates copies. */
export function propagateHandler(config: Config): Invoked<DynamoDBStreamEvent, DynamoDBBatchResponse> {
  return handler('Propagate', config, ({ settings, registry, telemetry }) => {
    const evidence = { globalTableReplica: settings.GLOBAL_TABLE_REPLICA };
    const contextOf = propagationContext(settings, registry, telemetry);
    return async (event, invocation) => {
      requireStreamOf(settings.TABLE_NAME, event);
      return propagate(contextOf(invocation), evidence, event);
    };
  });
}

export function propagate(
  context: PropagationContext,
  evidence: ExpiryEvidence,
  event: DynamoDBStreamEvent,
): Promise<DynamoDBBatchResponse> {
  return streamResponse(context.registry.table, evidence, event, (records) =>
    propagateBatch(context, records),
  );
}

/** The handler of `FanOut`, which runs the propagations in the queue: the rest of large fan-outs, retries and rechecks. */
export function fanOutHandler(config: Config): Invoked<SQSEvent, SQSBatchResponse> {
  return handler('FanOut', config, ({ settings, registry, telemetry }) => {
    const contextOf = propagationContext(settings, registry, telemetry);
    return (event, invocation) =>
      queueResponse(event, (records) => {
        const again = records.flatMap(({ id, body, receives = 1 }) =>
          receives > 1 ? [{ id, receives, message: readMessage(body) }] : [],
        );
        if (again.length > 0) telemetry.receivedAgain(again);
        return fanOutBatch(contextOf(invocation), records);
      });
  });
}

export function fanOut(context: PropagationContext, event: SQSEvent): Promise<SQSBatchResponse> {
  return queueResponse(event, (records) => fanOutBatch(context, records));
}

/** An invocation with less time left than this, in milliseconds, starts no propagation. */
const reserve = 10_000;

/** The clients are created once, the context for each invocation. */
export function propagationContext(
  settings: FunctionSettings<'FanOut'>,
  registry: Registry,
  telemetry: TelemetryPort,
): (invocation: Remaining) => PropagationContext {
  const dynamoDb = oneLargeBody(withoutLogger(new DynamoDBClient(clientSettings)));
  const sqs = withoutLogger(new SQSClient(clientSettings));
  return (invocation) => {
    const table = dynamoDbTable({
      client: until(beforeEnd(invocation, reserveForAnswer), dynamoDb),
      tableName: settings.TABLE_NAME,
      table: registry.table,
    });
    return {
      registry,
      table: coalescingTable(table, registry.table),
      queue: sqsQueue({
        client: until(beforeEnd(invocation, reserveForQueue), sqs),
        queueUrl: settings.FAN_OUT_QUEUE_URL,
        deadLetterQueueUrl: settings.DEAD_LETTER_QUEUE_URL,
      }),
      telemetry,
      settings: {
        ...defaultSettings,
        pageLimit: settings.PAGE_LIMIT,
        recheckDelaySeconds: settings.RECHECK_DELAY_SECONDS,
        fanOutWriteUnits: settings.FAN_OUT_WRITE_UNITS,
      },
      outOfTime: (ahead = 0) => invocation.getRemainingTimeInMillis() - ahead < reserve,
      clock: systemClock,
      memory: new Memory(),
    };
  };
}
