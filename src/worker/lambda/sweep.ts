import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import type { Config } from '../../model/config.ts';
import { clientSettings, withoutLogger } from '../adapters/client-settings.ts';
import { dynamoDbTable } from '../adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbRange } from '../adapters/dynamodb/index-range.ts';
import { dynamoDbScan } from '../adapters/dynamodb/scan-pages.ts';
import { beforeEnd, reserveForAnswer, until } from '../adapters/lambda/until-end.ts';
import { retryingArchive } from '../adapters/s3/retrying-archive.ts';
import { s3Archive } from '../adapters/s3/s3-archive.ts';
import { s3Notes } from '../adapters/s3/s3-notes.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { sweep } from '../archive/sweep/sweep.ts';
import type { SweepContext, SweepReport } from '../archive/sweep/sweep-context.ts';
import { deployedRules, sweepEnvironment } from '../environment.ts';
import { Budget } from '../scan/budget.ts';
import { flushing, type Invoked, LambdaTelemetry } from './telemetry.ts';

/** An invocation with less time left than this, in milliseconds, reads nothing more, so that work in progress can end. */
const reserve = 30_000;

/** The handler of `Sweep`, which archives finished items and sets their TTL. It continues where the last one stopped. */
export function sweepHandler(config: Config): Invoked<unknown, readonly SweepReport[]> {
  const environment = sweepEnvironment();
  const { TABLE_NAME, ARCHIVE_BUCKET, ARCHIVE_STORAGE_CLASS, SWEEP_READ_UNITS } = environment;
  const registry = deployedRules(config);
  const telemetry = new LambdaTelemetry();
  const dynamoDb = withoutLogger(new DynamoDBClient(clientSettings));
  // An emulator has no host name for each bucket.
  const s3 = withoutLogger(new S3Client({ ...clientSettings, forcePathStyle: environment.local }));
  return flushing(telemetry, (_, invocation) => {
    const signal = beforeEnd(invocation, reserveForAnswer);
    const access = { client: until(signal, dynamoDb), tableName: TABLE_NAME, table: registry.table };
    const bucket = { client: until(signal, s3), bucket: ARCHIVE_BUCKET };
    const context: SweepContext = {
      registry,
      table: dynamoDbTable(access),
      scan: dynamoDbScan(access),
      range: dynamoDbRange(access),
      archive: retryingArchive(s3Archive({ ...bucket, storageClass: ARCHIVE_STORAGE_CLASS }), { signal }),
      notes: s3Notes(bucket),
      clock: systemClock,
      telemetry,
      reads: new Budget(SWEEP_READ_UNITS, systemClock),
      stop: () => invocation.getRemainingTimeInMillis() < reserve,
      nonce: () => randomBytes(8),
    };
    return sweep(context, { tableName: TABLE_NAME });
  });
}
