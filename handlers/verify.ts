import { verifyConfig } from '../src/config.ts';
import { verifyHandler } from '../src/lambda/verify.ts';
import { loadRules } from '../src/rules/index.ts';

const config = verifyConfig();
const registry = loadRules({ statusShards: config.STATUS_SHARDS, disabled: config.DISABLED_RULES });

/** Compares a random share of the copies with their roots. Writes nothing. */
export const handler = verifyHandler({ config, registry });
