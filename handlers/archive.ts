import { archiveConfig } from '../src/config.ts';
import { archiveHandler } from '../src/lambda/archive.ts';
import { loadRules } from '../src/rules/index.ts';

const config = archiveConfig();
const registry = loadRules({ statusShards: 1, disabled: config.DISABLED_RULES });

/** Archives the items on the table's stream that are going to expire. */
export const handler = archiveHandler({ config, registry });
