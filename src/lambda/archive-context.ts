import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings } from '../adapters/client-settings.ts';
import { dynamoDbTable } from '../adapters/dynamodb/dynamodb-table.ts';
import {
  beforeEnd,
  type Remaining,
  reserveForAnswer,
  reserveForQueue,
  until,
} from '../adapters/lambda/until-end.ts';
import { retryingArchive } from '../adapters/s3/retrying-archive.ts';
import { s3Archive } from '../adapters/s3/s3-archive.ts';
import { sqsDeadLetters } from '../adapters/sqs/sqs-queue.ts';
import type { ArchiveContext } from '../archive/archive-item.ts';
import type { ArchiveConfig } from '../config.ts';
import type { Registry } from '../model/registry.ts';
import { defaultSettings, type TelemetryPort } from '../ports.ts';

// Made once for each execution environment: connections are reused by every invocation.
const dynamoDb = new DynamoDBClient(clientSettings);
const sqs = new SQSClient(clientSettings);
let s3: S3Client | undefined;

/** The engine of the function that archives, for one invocation. */
export function archiveContext(
  config: ArchiveConfig,
  registry: Registry,
  telemetry: TelemetryPort,
  context: Remaining,
): ArchiveContext {
  const { TABLE_NAME, ARCHIVE_BUCKET, ARCHIVE_STORAGE_CLASS, DEAD_LETTER_QUEUE_URL } = config;
  // An emulator's host has no name for each bucket.
  s3 ??= new S3Client({ ...clientSettings, forcePathStyle: config.local });
  const signal = beforeEnd(context, reserveForAnswer);
  const queueClient = until(beforeEnd(context, reserveForQueue), sqs);
  const table = dynamoDbTable({
    client: until(signal, dynamoDb),
    tableName: TABLE_NAME,
    table: registry.table,
  });
  return {
    registry,
    // Not coalesced: the function may read single items, and no more.
    table,
    archive: retryingArchive(
      s3Archive({ client: until(signal, s3), bucket: ARCHIVE_BUCKET, storageClass: ARCHIVE_STORAGE_CLASS }),
      { signal },
    ),
    queue: sqsDeadLetters({ client: queueClient, queueUrl: DEAD_LETTER_QUEUE_URL }),
    telemetry,
    nonce: () => randomBytes(8),
    concurrency: defaultSettings.concurrency,
  };
}
