import type { Config } from '../../model/rules/config.ts';
import { dynamoDbReads } from '../adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../adapters/dynamodb/read-pages.ts';
import { sqsBacklog } from '../adapters/sqs/sqs-queue.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { Budget, unlimited } from '../budget.ts';
import { beatsInQueue } from '../heartbeat.ts';
import { readPauses } from '../pauses.ts';
import { meteredReads } from '../scan/metered-table.ts';
import { type VerifyReport, verifyShare } from '../verify/verify-sample.ts';
import { beforeEnd, dynamoDbClient, reserveForAnswerMs, sqsClient, until } from './clients.ts';
import { handler, type Invoked } from './handler.ts';
import { ScheduledTelemetry } from './telemetry.ts';

/** How long a change may take to reach its copies. It can be generous, because nobody waits for a run. */
const graceMs = 10_000;

/** An invocation with less time left than this reads nothing more. */
const reserveMs = 10_000;

/** Time to read suspected copies a few more times, each time after the grace period. */
const looksMs = 4 * graceMs;

/** The handler of `Verify`, which compares a random share of the copies with their roots. It writes nothing. */
export function verifyHandler(config: Config): Invoked<unknown, VerifyReport> {
  return handler('Verify', config, ScheduledTelemetry, ({ settings, registry, telemetry }) => {
    const dynamoDb = dynamoDbClient();
    const sqs = sqsClient();
    return async (_, invocation) => {
      const end = beforeEnd(invocation, reserveForAnswerMs);
      const client = until(end, dynamoDb);
      const access = { client, tableName: settings.tableName, table: registry.table };
      const budget = new Budget(settings.verifyReadUnits, systemClock);
      const budgets = { reads: budget, writes: unlimited(systemClock) };
      const reads = dynamoDbReads(access);
      return verifyShare({
        registry,
        table: meteredReads(reads, budgets).port,
        paused: await readPauses(reads, registry.table),
        scan: dynamoDbScan(access),
        queue: sqsBacklog(until(end, sqs()), settings.fanOutQueueUrl, () =>
          beatsInQueue({ registry, table: reads, clock: systemClock }),
        ),
        budget,
        clock: systemClock,
        telemetry,
        share: settings.verifySamplePercent / 100,
        random: Math.random,
        graceMs,
        stop: () => invocation.getRemainingTimeInMillis() < reserveMs + looksMs,
        stopLooking: () => invocation.getRemainingTimeInMillis() < reserveMs,
      });
    };
  });
}
