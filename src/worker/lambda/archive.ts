import { randomBytes } from 'node:crypto';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Config } from '../../model/rules/config.ts';
import { dynamoDbItems } from '../adapters/dynamodb/dynamodb-table.ts';
import { retryingArchive, s3Archive } from '../adapters/s3/s3-archive.ts';
import { sqsDeadLetters } from '../adapters/sqs/sqs-queue.ts';
import type { ExpiryEvidence } from '../adapters/stream-record.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { archiveBatch } from '../archive/archive-batch.ts';
import type { ArchiveContext } from '../archive/archive-item.ts';
import { defaultSettings } from '../ports.ts';
import { requireStreamOf, streamResponse } from './batch-response.ts';
import {
  beforeEnd,
  dynamoDbClient,
  reserveForAnswerMs,
  reserveForQueueMs,
  s3Client,
  sqsClient,
  until,
} from './clients.ts';
import { handler, type Invoked } from './handler.ts';
import { LambdaTelemetry } from './telemetry.ts';

/** The handler of `Archive`, which reads the table's stream and stores items in S3 before they expire. */
export function archiveHandler(config: Config): Invoked<DynamoDBStreamEvent, DynamoDBBatchResponse> {
  return handler('Archive', config, LambdaTelemetry, ({ settings, registry, telemetry }) => {
    const {
      tableName,
      archiveBucket: bucket,
      archiveStorageClass: storageClass,
      globalTableReplica,
    } = settings;
    const evidence = { globalTableReplica };
    const dynamoDb = dynamoDbClient();
    const sqs = sqsClient();
    const s3 = s3Client(settings);
    return async (event, invocation) => {
      requireStreamOf(tableName, event);
      const signal = beforeEnd(invocation, reserveForAnswerMs);
      const queueSignal = beforeEnd(invocation, reserveForQueueMs);
      const context: ArchiveContext = {
        registry,
        // Not coalesced, because the function's role allows GetItem but not BatchGetItem.
        table: dynamoDbItems({ client: until(signal, dynamoDb), tableName, table: registry.table }),
        archive: retryingArchive(s3Archive({ client: until(signal, s3), bucket, storageClass }), { signal }),
        queue: sqsDeadLetters({
          client: () => until(queueSignal, sqs()),
          queueUrl: settings.deadLetterQueueUrl,
        }),
        telemetry,
        clock: systemClock,
        nonce: () => randomBytes(8),
        concurrency: defaultSettings.concurrency,
      };
      return archive(context, evidence, event);
    };
  });
}

export function archive(
  context: ArchiveContext,
  evidence: ExpiryEvidence,
  event: DynamoDBStreamEvent,
): Promise<DynamoDBBatchResponse> {
  return streamResponse(context.registry.table, evidence, event, (records) => archiveBatch(context, records));
}
