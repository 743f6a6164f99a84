import * as z from 'zod';
import { type AgingRule, ages } from '../../archive/sweep/aging.ts';
import { type StorageClass, storageClasses } from '../../model/archive-rule.ts';
import type { Registry } from '../../model/registry.ts';
import { UsageError } from '../errors.ts';
import { type RulesOptions, rulesInForce } from '../options/rules-in-force.ts';
import type { Where } from '../options/where.ts';

/** The rules with their deployed settings, and the archive settings of the sweep. */
export interface AgingInForce {
  readonly registry: Registry;
  readonly storageClass: StorageClass;
}

/** The environment variable of the Sweep function that says how items are archived. */
const deployedSchema = z.object({ ARCHIVE_STORAGE_CLASS: z.enum(storageClasses).catch('GLACIER') });

/**
 * The rules with the settings of the deployed Sweep function. A shorter retention would expire items too
 * early. Without a stack, the project's rules, with settings from the stage and the options.
 */
export async function agingInForce(
  where: Pick<Where, 'connection' | 'stack'>,
  options: RulesOptions,
): Promise<AgingInForce> {
  const sweep = where.stack?.SweepFunction ?? where.stack?.PropagateFunction;
  const { registry, environment } = await rulesInForce(where, options, sweep);
  return { registry, storageClass: deployedSchema.parse(environment).ARCHIVE_STORAGE_CLASS };
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
