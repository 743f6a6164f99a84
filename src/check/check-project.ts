import { DenormError } from '../model/basics/errors.ts';
import type { Config, RuleSettings } from '../model/rules/config.ts';
import type { Registry } from '../model/rules/registry.ts';
import { checkAggregates } from './check-aggregates.ts';
import { checkArchives } from './check-archives.ts';
import { checkCleared } from './check-cleared.ts';
import { checkKinds } from './check-kinds.ts';
import { checkRules, checkTenants } from './check-rules.ts';
import type { Finding } from './finding.ts';

/**
 * Takes a fraction of a second: no table, no compiler.
 * @param settings what the rules depend on. Default: as in the config
 */
export function checkProject(config: Config, settings: RuleSettings = {}): readonly Finding[] {
  let registry: Registry;
  try {
    registry = config.registry({ ...settings, disabled: [] });
  } catch (error) {
    if (!(error instanceof DenormError)) throw error;
    const { code, rule = 'denorm.config.ts' } = error;
    return [{ about: 'rules', subject: rule, message: `${code}: ${error.message}` }];
  }
  return checkRegistry(registry);
}

const noRules: Finding = {
  about: 'rules',
  subject: 'denorm.config.ts',
  message: 'Expected a rule, an aggregate or an archive rule to check, found none: add one',
};

const checks = [checkRules, checkCleared, checkAggregates, checkArchives, checkKinds, checkTenants];

export function checkRegistry(registry: Registry): readonly Finding[] {
  const { rules, aggregates, archives } = registry;
  if (rules.length + aggregates.length + archives.length === 0) return [noRules];
  return checks.flatMap((check) => check(registry));
}
