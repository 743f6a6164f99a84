import type { SQSHandler } from 'aws-lambda';
import { propagationConfig } from '../src/config.ts';
import { fanOut } from '../src/lambda/functions.ts';
import { propagationContext } from '../src/lambda/propagation-context.ts';
import { LambdaTelemetry } from '../src/lambda/telemetry.ts';
import { loadRules } from '../src/rules/index.ts';

const config = propagationConfig();
const registry = loadRules({ statusShards: config.STATUS_SHARDS, disabled: config.DISABLED_RULES });
const telemetry = new LambdaTelemetry();

/** Runs the propagations that the queue asks for: the rest of large fan-outs, retries and rechecks. */
export const handler: SQSHandler = async (event, context) => {
  try {
    return await fanOut(propagationContext(config, registry, telemetry, context), event);
  } finally {
    telemetry.flush();
  }
};
