import { propagationConfig } from '../src/config.ts';
import { propagateHandler } from '../src/lambda/propagate.ts';
import { loadRules } from '../src/rules/index.ts';

const config = propagationConfig();
const registry = loadRules({ statusShards: config.STATUS_SHARDS, disabled: config.DISABLED_RULES });

/** Propagates the changes on the table's stream. */
export const handler = propagateHandler({ config, registry });
