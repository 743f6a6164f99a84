import { propagationConfig } from '../src/config.ts';
import { fanOutHandler } from '../src/lambda/fan-out.ts';
import { loadRules } from '../src/rules/index.ts';

const config = propagationConfig();
const registry = loadRules({ statusShards: config.STATUS_SHARDS, disabled: config.DISABLED_RULES });

/** Runs the propagations in the queue: the rest of large fan-outs, retries and rechecks. */
export const handler = fanOutHandler({ config, registry });
