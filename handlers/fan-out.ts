import type { SQSHandler } from 'aws-lambda';
import { fanOut } from '../src/lambda/functions.ts';
import { turnEngine } from '../src/lambda/propagation-context.ts';
import { turnConfig } from '../src/config.ts';
import { loadRules } from '../src/rules/index.ts';
import { LambdaTelemetry } from '../src/lambda/telemetry.ts';

const config = turnConfig();
const registry = loadRules({ statusShards: config.STATUS_SHARDS, disabled: config.DISABLED_RULES });
const telemetry = new LambdaTelemetry();

/** Takes the turns that the queue asks for: the rest of large fan-outs, retries and settle passes. */
export const handler: SQSHandler = async (event, context) => {
  try {
    return await fanOut(turnEngine(config, registry, telemetry, context), event);
  } finally {
    telemetry.flush();
  }
};
