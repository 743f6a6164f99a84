import { randomBytes } from 'node:crypto';
import type { Config } from '../../model/rules/config.ts';
import { dynamoDbTable } from '../adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../adapters/dynamodb/read-pages.ts';
import { retryingArchive, s3Archive, s3Notes } from '../adapters/s3/s3-archive.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { sweep } from '../archive/sweep/sweep.ts';
import type { SweepReport } from '../archive/sweep/sweep-context.ts';
import { Budget } from '../budget.ts';
import { beforeEnd, dynamoDbClient, reserveForAnswerMs, s3Client, until } from './clients.ts';
import { handler, type Invoked } from './handler.ts';
import { ScheduledTelemetry } from './telemetry.ts';

/** An invocation with less time left than this reads nothing more, so that work in progress can end. */
const reserveMs = 30_000;

/** The handler of `Sweep`, which archives finished items and sets their TTL. It continues where the last one stopped. */
export function sweepHandler(config: Config): Invoked<unknown, readonly SweepReport[]> {
  return handler('Sweep', config, ScheduledTelemetry, ({ settings, registry, telemetry }) => {
    const { tableName, archiveStorageClass: storageClass } = settings;
    const dynamoDb = dynamoDbClient();
    const s3 = s3Client(settings);
    return (_, invocation) => {
      const signal = beforeEnd(invocation, reserveForAnswerMs);
      const access = { client: until(signal, dynamoDb), tableName, table: registry.table };
      const bucket = { client: until(signal, s3), bucket: settings.archiveBucket };
      return sweep(
        {
          registry,
          table: dynamoDbTable(access),
          scan: dynamoDbScan(access),
          archive: retryingArchive(s3Archive({ ...bucket, storageClass }), { signal }),
          notes: s3Notes(bucket),
          clock: systemClock,
          telemetry,
          reads: new Budget(settings.sweepReadUnits, systemClock),
          stop: () => invocation.getRemainingTimeInMillis() < reserveMs,
          nonce: () => randomBytes(8),
        },
        { tableName },
      );
    };
  });
}
