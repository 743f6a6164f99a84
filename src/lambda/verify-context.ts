import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientSettings } from '../adapters/client-settings.ts';
import { dynamoDbTable } from '../adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../adapters/dynamodb/scan-pages.ts';
import { beforeEnd, type Remaining, reserveForAnswer, until } from '../adapters/lambda/until-end.ts';
import type { VerifyConfig } from '../config.ts';
import type { VerifySampleContext, VerifyTelemetryPort } from '../drift/verify-sample.ts';
import type { Registry } from '../model/registry.ts';
import { Budget, unlimited } from '../scan/budget.ts';
import { systemClock } from '../scan/clock.ts';
import { meteredTable } from '../scan/metered-table.ts';

/** How long a change may take until its copies stand, in milliseconds. Nobody waits for this function. */
const grace = 10_000;

/** With less time left than this an invocation begins nothing, in milliseconds. */
const reserve = 10_000;

/** Those who are suspected need this, in milliseconds: a few looks, each after a time of grace. */
const forLooks = 4 * grace;

// Made once for each execution environment: connections are reused by every invocation.
const client = new DynamoDBClient(clientSettings);

/** The engine of the function that verifies, for one invocation. */
export function verifySampleContext(
  { TABLE_NAME: tableName, VERIFY_SAMPLE_PERCENT, VERIFY_READ_UNITS }: VerifyConfig,
  registry: Registry,
  telemetry: VerifyTelemetryPort,
  context: Remaining,
): VerifySampleContext {
  const location = {
    client: until(beforeEnd(context, reserveForAnswer), client),
    tableName,
    table: registry.table,
  };
  const budget = new Budget(VERIFY_READ_UNITS, systemClock);
  const budgets = { reads: budget, writes: unlimited(systemClock) };
  return {
    registry,
    table: meteredTable(dynamoDbTable(location), registry.table, budgets).port,
    scan: dynamoDbScan(location),
    budget,
    clock: systemClock,
    telemetry,
    share: VERIFY_SAMPLE_PERCENT / 100,
    random: Math.random,
    grace,
    closing: () => context.getRemainingTimeInMillis() < reserve + forLooks,
    outOfTime: () => context.getRemainingTimeInMillis() < reserve,
  };
}
