import { sweepConfig } from '../src/config.ts';
import { sweepHandler } from '../src/lambda/sweep.ts';
import { loadRules } from '../src/rules/index.ts';

const config = sweepConfig();
const registry = loadRules({
  statusShards: config.STATUS_SHARDS,
  agedAfterDays: config.SWEEP_AFTER_DAYS,
  disabled: config.DISABLED_RULES,
});

/** Archives items that have been finished for long enough, and sets their TTL. */
export const handler = sweepHandler({ config, registry });
