import type { DynamoDBStreamHandler } from 'aws-lambda';
import { archiveConfig } from '../src/config.ts';
import { archiveContext } from '../src/lambda/archive-context.ts';
import { archive } from '../src/lambda/functions.ts';
import { LambdaTelemetry } from '../src/lambda/telemetry.ts';
import { loadRules } from '../src/rules/index.ts';

const config = archiveConfig();
const registry = loadRules({ statusShards: 1, disabled: config.DISABLED_RULES });
const telemetry = new LambdaTelemetry();
const evidence = { globalTableReplica: config.GLOBAL_TABLE_REPLICA };

/** Archives what the table's stream says is going to expire. */
export const handler: DynamoDBStreamHandler = async (event, context) => {
  try {
    return await archive(archiveContext(config, registry, telemetry, context), evidence, event);
  } finally {
    telemetry.flush();
  }
};
