import type { Context } from 'aws-lambda';
import { sweep } from '../src/archive/sweep/sweep.ts';
import { sweepConfig } from '../src/config.ts';
import { sweepContext } from '../src/lambda/sweep-context.ts';
import { LambdaTelemetry } from '../src/lambda/telemetry.ts';
import { loadRules } from '../src/rules/index.ts';

const config = sweepConfig();
const registry = loadRules({
  statusShards: config.STATUS_SHARDS,
  agedAfterDays: config.SWEEP_AFTER_DAYS,
  disabled: config.DISABLED_RULES,
});
const telemetry = new LambdaTelemetry();

/** Archives what is done with for long enough, and lets it expire. Goes on where the last invocation stopped. */
export const handler = async (_event: unknown, context: Context) => {
  try {
    return await sweep(sweepContext(config, registry, telemetry, context), { tableName: config.TABLE_NAME });
  } finally {
    telemetry.flush();
  }
};
