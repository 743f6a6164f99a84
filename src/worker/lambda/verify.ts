import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Config } from '../../model/config.ts';
import { clientSettings, withoutLogger } from '../adapters/client-settings.ts';
import { dynamoDbTable } from '../adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../adapters/dynamodb/scan-pages.ts';
import { beforeEnd, reserveForAnswer, until } from '../adapters/lambda/until-end.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { deployedRules, verifyEnvironment } from '../environment.ts';
import { Budget, unlimited } from '../scan/budget.ts';
import { meteredTable } from '../scan/metered-table.ts';
import { type VerifyReport, type VerifySampleContext, verifyShare } from '../verify/verify-sample.ts';
import { flushing, type Invoked, LambdaTelemetry } from './telemetry.ts';

/** How long a change may take to reach its copies, in milliseconds. It can be generous, because nobody waits for a run. */
const grace = 10_000;

/** An invocation with less time left than this, in milliseconds, reads nothing more. */
const reserve = 10_000;

/** Time to read suspected copies a few more times, in milliseconds, each time after the grace period. */
const forLooks = 4 * grace;

/** The handler of `Verify`, which compares a random share of the copies with their roots. It writes nothing. */
export function verifyHandler(config: Config): Invoked<unknown, VerifyReport> {
  const { TABLE_NAME, VERIFY_SAMPLE_PERCENT, VERIFY_READ_UNITS } = verifyEnvironment();
  const registry = deployedRules(config);
  const telemetry = new LambdaTelemetry();
  const dynamoDb = withoutLogger(new DynamoDBClient(clientSettings));
  return flushing(telemetry, (_, invocation) => {
    const client = until(beforeEnd(invocation, reserveForAnswer), dynamoDb);
    const access = { client, tableName: TABLE_NAME, table: registry.table };
    const budget = new Budget(VERIFY_READ_UNITS, systemClock);
    const budgets = { reads: budget, writes: unlimited(systemClock) };
    const context: VerifySampleContext = {
      registry,
      table: meteredTable(dynamoDbTable(access), registry.table, budgets).port,
      scan: dynamoDbScan(access),
      budget,
      clock: systemClock,
      telemetry,
      share: VERIFY_SAMPLE_PERCENT / 100,
      random: Math.random,
      grace,
      closing: () => invocation.getRemainingTimeInMillis() < reserve + forLooks,
      outOfTime: () => invocation.getRemainingTimeInMillis() < reserve,
    };
    return verifyShare(context);
  });
}
