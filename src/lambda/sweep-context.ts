import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { clientSettings } from '../adapters/client-settings.ts';
import { dynamoDbTable } from '../adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbRange } from '../adapters/dynamodb/index-range.ts';
import { dynamoDbScan } from '../adapters/dynamodb/scan-pages.ts';
import { beforeEnd, type Remaining, reserveForAnswer, until } from '../adapters/lambda/until-end.ts';
import { retryingArchive } from '../adapters/s3/retrying-archive.ts';
import { s3Archive } from '../adapters/s3/s3-archive.ts';
import { s3Notes } from '../adapters/s3/s3-notes.ts';
import type { SweepContext, SweepTelemetryPort } from '../archive/sweep/sweep-context.ts';
import type { SweepConfig } from '../config.ts';
import type { Registry } from '../model/registry.ts';
import { Budget } from '../scan/budget.ts';
import { systemClock } from '../scan/clock.ts';

/** With less time left than this an invocation reads nothing more, in milliseconds: what is under way is to end. */
const reserve = 30_000;

// Made once for each execution environment: connections are reused by every invocation.
const dynamoDb = new DynamoDBClient(clientSettings);
let s3: S3Client | undefined;

/** The engine of the function that sweeps, for one invocation. */
export function sweepContext(
  config: SweepConfig,
  registry: Registry,
  telemetry: SweepTelemetryPort,
  context: Remaining,
): SweepContext {
  const { TABLE_NAME, ARCHIVE_BUCKET, ARCHIVE_STORAGE_CLASS, SWEEP_READ_UNITS } = config;
  const signal = beforeEnd(context, reserveForAnswer);
  const location = { client: until(signal, dynamoDb), tableName: TABLE_NAME, table: registry.table };
  // An emulator's host has no name for each bucket.
  s3 ??= new S3Client({ ...clientSettings, forcePathStyle: config.local });
  const bucket = { client: until(signal, s3), bucket: ARCHIVE_BUCKET };
  return {
    registry,
    table: dynamoDbTable(location),
    scan: dynamoDbScan(location),
    range: dynamoDbRange(location),
    archive: retryingArchive(s3Archive({ ...bucket, storageClass: ARCHIVE_STORAGE_CLASS }), { signal }),
    notes: s3Notes(bucket),
    clock: systemClock,
    telemetry,
    reads: new Budget(SWEEP_READ_UNITS, systemClock),
    stop: () => context.getRemainingTimeInMillis() < reserve,
    nonce: () => randomBytes(8),
  };
}
