import type { Command } from 'commander';
import * as z from 'zod';
import { functionEnvironment } from '../../adapters/lambda/function-environment.ts';
import type { Registry } from '../../model/registry.ts';
import { rulesDigest } from '../../model/rules-digest.ts';
import { loadRules, type RuleSettings } from '../../rules/index.ts';
import { countOption } from './option-values.ts';
import type { Where } from './where.ts';

export interface RulesOptions {
  readonly statusShards?: number;
}

/** The enabled rules with their deployed settings, and a digest of them. */
export interface RulesInForce {
  readonly registry: Registry;
  readonly digest: string;
}

/** Adds the option for settings that the table does not reveal. */
export function withRules(command: Command): Command {
  return command.option(
    '--status-shards <number>',
    'the parameter StatusShards of the deployment (default: that of --stack, otherwise 1)',
    countOption,
  );
}

/** The environment variables of a function that affect rules. */
const deployedSchema = z.object({
  STATUS_SHARDS: z.coerce.number().int().min(1).catch(1),
  DISABLED_RULES: z.string().catch(''),
});

/**
 * The rules with the settings of the deployed stack. Other settings would report correct copies as drift, and
 * overwrite them. Without a stack, all rules, with settings from the options.
 */
export async function rulesInForce(
  { connection, stack }: Pick<Where, 'connection' | 'stack'>,
  { statusShards }: RulesOptions,
): Promise<RulesInForce> {
  const deployed = deployedSchema.parse(
    stack === undefined ? {} : await functionEnvironment(connection.lambda, stack.PropagateFunction),
  );
  const settings: RuleSettings = {
    statusShards: statusShards ?? deployed.STATUS_SHARDS,
    disabled: deployed.DISABLED_RULES.split(',').filter((name) => name !== ''),
  };
  const registry = loadRules(settings);
  return { registry, digest: rulesDigest(registry, JSON.stringify(settings)) };
}
