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

/** The rules as they are deployed where a sweep works, and how it archives there. */
export interface AgingInForce {
  readonly registry: Registry;
  readonly storageClass: StorageClass;
}

/** Adds the options that say what cannot be read off a table. */
export function withAging(command: Command): Command {
  return withRules(command).option(
    '--after-days <number>',
    'the parameter SweepAfterDays of the deployment (default: that of --stack, otherwise 90)',
    countOption,
  );
}

/** What of the environment of Sweep decides what has aged, and how it is archived. */
const deployedSchema = z.object({
  STATUS_SHARDS: z.coerce.number().int().min(1).catch(1),
  SWEEP_AFTER_DAYS: z.coerce.number().int().min(1).catch(90),
  ARCHIVE_STORAGE_CLASS: z.enum(storageClasses).catch('GLACIER'),
  DISABLED_RULES: z.string().catch(''),
});

/**
 * The rules as the stack that was named sweeps by them: with fewer days, items would expire that nobody means to lose.
 * Without a stack, all rules, with what the options say.
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
 * The rules that a sweep is asked to go by.
 * @throws UsageError `usage.rule` where none whose items age is called so
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
