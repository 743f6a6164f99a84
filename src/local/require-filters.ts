import { isDeepStrictEqual } from 'node:util';
import type { Registry } from '../domain/registry.ts';
import { archiveFilters, type MappingFilter, propagateFilters } from '../planning/mapping-filters.ts';
import { LocalError } from './errors.ts';
import { patternsOf, type TemplateSettings } from './template.ts';

/**
 * A rule whose records no filter lets pass would do nothing, and say nothing.
 * @throws LocalError `filter.outdated` where the template's filters do not follow from the rules; it holds those that do
 */
export function requireFilters(registry: Registry, { functions }: TemplateSettings): void {
  const wanted = { Propagate: propagateFilters(registry), Archive: archiveFilters(registry) };
  for (const name of ['Propagate', 'Archive'] as const) {
    if (!isDeepStrictEqual(patternsOf(functions[name].mapping), wanted[name]))
      throw new LocalError('filter.outdated', outdated(name, wanted[name]));
  }
}

function outdated(name: string, wanted: readonly MappingFilter[]): string {
  return [
    `Expected the filters of ${name} in template.yaml to be those that follow from the rules, got others: put these there`,
    ...wanted.map((filter) => `  - Pattern: '${JSON.stringify(filter).replaceAll("'", "''")}'`),
  ].join('\n');
}
