import type { DynamoDBStreamHandler } from 'aws-lambda';
import { propagationConfig } from '../src/config.ts';
import { propagate } from '../src/lambda/functions.ts';
import { propagationContext } from '../src/lambda/propagation-context.ts';
import { LambdaTelemetry } from '../src/lambda/telemetry.ts';
import { loadRules } from '../src/rules/index.ts';

const config = propagationConfig();
const registry = loadRules({ statusShards: config.STATUS_SHARDS, disabled: config.DISABLED_RULES });
const telemetry = new LambdaTelemetry();
const evidence = { globalTableReplica: config.GLOBAL_TABLE_REPLICA };

/** Propagates what the table's stream says has changed. */
export const handler: DynamoDBStreamHandler = async (event, context) => {
  try {
    return await propagate(propagationContext(config, registry, telemetry, context), evidence, event);
  } finally {
    telemetry.flush();
  }
};
