import type { Context } from 'aws-lambda';
import { verifyConfig } from '../src/config.ts';
import { verifyShare } from '../src/drift/verify-sample.ts';
import { LambdaTelemetry } from '../src/lambda/telemetry.ts';
import { verifySampleContext } from '../src/lambda/verify-context.ts';
import { loadRules } from '../src/rules/index.ts';

const config = verifyConfig();
const registry = loadRules({ statusShards: config.STATUS_SHARDS, disabled: config.DISABLED_RULES });
const telemetry = new LambdaTelemetry();

/** Compares a random share of the copies with their roots. Writes nothing. */
export const handler = async (_event: unknown, context: Context) => {
  try {
    return await verifyShare(verifySampleContext(config, registry, telemetry, context));
  } finally {
    telemetry.flush();
  }
};
