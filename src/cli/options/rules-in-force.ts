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

/** The rules as they are deployed where a command works, and a text that says which they are. */
export interface RulesInForce {
  readonly registry: Registry;
  readonly digest: string;
}

/** Adds the option that says what cannot be read off a table. */
export function withRules(command: Command): Command {
  return command.option(
    '--status-shards <number>',
    'the parameter StatusShards of the deployment (default: that of --stack, otherwise 1)',
    countOption,
  );
}

/** What of a function's environment decides what rules say. */
const deployedSchema = z.object({
  STATUS_SHARDS: z.coerce.number().int().min(1).catch(1),
  DISABLED_RULES: z.string().catch(''),
});

/**
 * The rules as the stack that was named runs them: with other settings, copies would be called wrong that are right, and
 * be made wrong. Without a stack, all rules, with what the options say.
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
