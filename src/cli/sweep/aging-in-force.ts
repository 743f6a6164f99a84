import type { Command } from 'commander';
import * as z from 'zod';
import { functionEnvironment } from '../../adapters/lambda/function-environment.ts';
import { type AgingRule, ages } from '../../archive/sweep/aging.ts';
import { type StorageClass, storageClasses } from '../../model/archive-rule.ts';
import type { Registry } from '../../model/registry.ts';
import { loadRules } from '../../rules/index.ts';
import { UsageError } from '../errors.ts';
import { countOption } from '../options/option-values.ts';
import { type RulesOptions, withRules } from '../options/rules-in-force.ts';
import type { Where } from '../options/where.ts';

export interface AgingOptions extends RulesOptions {
  readonly afterDays?: number;
}

/** The rules with their deployed settings, and the archive settings of the sweep. */
export interface AgingInForce {
  readonly registry: Registry;
  readonly storageClass: StorageClass;
}

/** Adds the options for settings that the table does not reveal. */
export function withAging(command: Command): Command {
  return withRules(command).option(
    '--after-days <number>',
    'the parameter SweepAfterDays of the deployment (default: that of --stack, otherwise 90)',
    countOption,
  );
}

/**
 * The environment variables of the Sweep function that decide which items have aged and how they are
 * archived.
 */
const deployedSchema = z.object({
  STATUS_SHARDS: z.coerce.number().int().min(1).catch(1),
  SWEEP_AFTER_DAYS: z.coerce.number().int().min(1).catch(90),
  ARCHIVE_STORAGE_CLASS: z.enum(storageClasses).catch('GLACIER'),
  DISABLED_RULES: z.string().catch(''),
});

/**
 * The rules with the settings of the deployed Sweep function. A shorter retention would expire items too
 * early. Without a stack, all rules, with settings from the options.
 */
export async function agingInForce(
  { connection, stack }: Pick<Where, 'connection' | 'stack'>,
  { statusShards, afterDays }: AgingOptions,
): Promise<AgingInForce> {
  const deployed = deployedSchema.parse(
    stack === undefined
      ? {}
      : await functionEnvironment(connection.lambda, stack.SweepFunction ?? stack.PropagateFunction),
  );
  const registry = loadRules({
    statusShards: statusShards ?? deployed.STATUS_SHARDS,
    agedAfterDays: afterDays ?? deployed.SWEEP_AFTER_DAYS,
    disabled: deployed.DISABLED_RULES.split(',').filter((name) => name !== ''),
  });
  return { registry, storageClass: deployed.ARCHIVE_STORAGE_CLASS };
}

/**
 * The aging rules that the options select.
 * @throws UsageError `usage.rule` if no aging rule has this name
 */
export function agingRules(registry: Registry, name: string | undefined): readonly AgingRule[] {
  const aging = registry.archives.filter(ages);
  const named = aging.filter((rule) => name === undefined || rule.name === name);
  if (named.length > 0 || name === undefined) return named;
  throw new UsageError(
    'usage.rule',
    `Expected --rule to be a rule whose items age (${aging.map((rule) => rule.name).join(', ')}), got '${name}'`,
  );
}
