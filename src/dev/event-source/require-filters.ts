import { isDeepStrictEqual } from 'node:util';
import {
  archiveFilters,
  exactFilterCount,
  type MappingFilter,
  maxPatterns,
  propagateFilters,
  type StreamFunctionName,
} from '../../model/mapping-filters.ts';
import type { Registry } from '../../model/registry.ts';
import { LocalError } from '../errors.ts';
import { patternsOf, type TemplateSettings } from '../template.ts';

/**
 * Verifies that the template's filters match the rules. A rule whose records pass no filter would silently do
 * nothing.
 * @throws LocalError `filter.outdated` with the required filters
 */
export function requireFilters(registry: Registry, { functions }: TemplateSettings): void {
  const wanted = { Propagate: propagateFilters(registry), Archive: archiveFilters(registry) };
  for (const name of ['Propagate', 'Archive'] as const) {
    if (!isDeepStrictEqual(patternsOf(functions[name].mapping), wanted[name]))
      throw new LocalError('filter.outdated', outdated(name, wanted[name], registry));
  }
}

function outdated(name: StreamFunctionName, wanted: readonly MappingFilter[], registry: Registry): string {
  const exact = exactFilterCount(registry, name);
  return [
    `Expected the filters of ${name} in template.yaml to be those that follow from the rules, got others: put these there`,
    ...wanted.map((filter) => `  - Pattern: '${JSON.stringify(filter).replaceAll("'", "''")}'`),
    ...(exact > maxPatterns ? [broader(exact)] : []),
  ].join('\n');
}

function broader(exact: number): string {
  return (
    `The rules' items need ${exact} filters and a mapping takes ${maxPatterns}: some of these are broader, and let records ` +
    'of other items pass. The function leaves those alone; they cost invocations.'
  );
}
