import { join } from 'node:path';
import type { Config, RuleSettings } from '../../model/config.ts';
import { DenormError } from '../../model/errors.ts';
import type { Registry } from '../../model/registry.ts';
import { checkAggregates } from './check-aggregates.ts';
import { checkAging } from './check-aging.ts';
import { checkKinds } from './check-kinds.ts';
import { checkLocations } from './check-locations.ts';
import { checkTemplate } from './check-template.ts';
import { checkTenants } from './check-tenants.ts';
import type { Finding } from './finding.ts';

/**
 * Finds what cannot be meant in a project, without a table and within a fraction of a second: rules that are refused, whose
 * functions fail on generated examples or that can match nothing, kinds that take each other's items, a template that
 * contradicts the config, handlers that are missing. It does not run the compiler.
 * @param folder the project's folder, with its template
 * @param settings what the rules depend on. Default: as in the config
 */
export function checkProject(
  config: Config,
  folder: string,
  settings: RuleSettings = {},
): readonly Finding[] {
  let registry: Registry;
  try {
    registry = config.registry({ ...settings, disabled: [] });
  } catch (error) {
    if (!(error instanceof DenormError)) throw error;
    return [
      { about: 'rules', subject: error.rule ?? 'denorm.config.ts', says: `${error.code}: ${error.message}` },
    ];
  }
  return [...checkRules(registry), ...checkTemplate(registry, join(folder, 'template.yaml'))];
}

/** The part that needs the rules only. */
export function checkRules(registry: Registry): readonly Finding[] {
  return [
    ...checkLocations(registry),
    ...checkAggregates(registry),
    ...checkAging(registry),
    ...checkKinds(registry),
    ...checkTenants(registry),
  ];
}
