import type * as z from 'zod';
import { DenormError } from '../../model/basics/errors.ts';
import type { Config, RuleSettings } from '../../model/rules/config.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { streamFunctions } from '../../model/work/settings.ts';
import { mappingFilters } from '../needs/mapping-filters.ts';
import { usageOf } from '../needs/usage.ts';
import { stackParameter } from './stack-parameter.ts';

/**
 * Refuses a parameter whose value changes filters or permissions: a template has one set of them for every value that a
 * deployment may choose, and a mapping drops a record that passes no filter. The bounds and the choices of a parameter are
 * tried, and some text.
 * @throws DenormError `config.parameter`
 */
export function refuseFilteringParameters(config: Config, given: RuleSettings['parameters'] = {}): void {
  const here = needsOf(config.registry({ parameters: given, disabled: [] }));
  for (const [name, schema] of Object.entries(config.parameters))
    for (const value of candidates(name, schema)) {
      const there = needsWith(config, { ...given, [name]: value });
      if (there !== undefined && there !== here)
        throw new DenormError(
          'config.parameter',
          `Expected the parameter ${name} to leave keys, indexes, rules and policies as they are, but with another value the rules need other filters or permissions, which a template cannot choose: make it part of the config instead`,
        );
    }
}

/** Values, as text, that differ as much as the stack allows. */
function candidates(name: string, schema: z.ZodType): readonly string[] {
  const { AllowedValues, MinValue, MaxValue, Type } = stackParameter(name, schema);
  if (AllowedValues !== undefined) return AllowedValues.map(String);
  const bounds = [MinValue, MaxValue].filter((bound) => bound !== undefined).map(String);
  return [...bounds, ...(Type === 'Number' ? ['1', '2'] : ['denorm', 'Other'])];
}

/** Undefined for a value that schema or rules refuse: no function would start with it. */
function needsWith(config: Config, parameters: NonNullable<RuleSettings['parameters']>): string | undefined {
  try {
    return needsOf(config.registry({ parameters, disabled: [] }));
  } catch {
    return undefined;
  }
}

function needsOf(registry: Registry): string {
  return JSON.stringify([
    ...streamFunctions.map((name) => mappingFilters(registry, name)),
    usageOf(registry),
  ]);
}
