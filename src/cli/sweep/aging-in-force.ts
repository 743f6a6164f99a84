import type { Registry } from '../../model/registry.ts';
import { type AgingRule, ages } from '../../worker/archive/sweep/aging.ts';
import { UsageError } from '../errors.ts';
import { type RulesInForce, type RulesOptions, rulesInForce } from '../options/rules-in-force.ts';
import type { Where } from '../options/where.ts';

/**
 * The rules with the settings of the deployed Sweep function. A shorter retention would expire items too
 * early. Without a stack, the project's rules, with settings from the stage and the options.
 */
export function agingInForce(
  where: Pick<Where, 'connection' | 'stack'>,
  options: RulesOptions,
): Promise<RulesInForce> {
  return rulesInForce(where, options, where.stack?.SweepFunction ?? where.stack?.ArchiveFunction);
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
