import { isDeepStrictEqual } from 'node:util';
import { archiveFilters, propagateFilters } from '../../../deploy/mapping-filters.ts';
import type { Registry } from '../../../model/registry.ts';
import { LocalError } from '../errors.ts';
import { patternsOf, type TemplateSettings } from '../template.ts';

/**
 * Verifies that the template's filters match the rules, disabled ones included. A rule whose records pass no filter would
 * silently do nothing.
 * @throws LocalError `filter.outdated`
 */
export function requireFilters(registry: Registry, { functions }: TemplateSettings): void {
  if (!isDeepStrictEqual(patternsOf(functions.Propagate.mapping), propagateFilters(registry)))
    throw outdated(
      'the filters of Propagate in template.yaml to be those that follow from the rules, got others',
    );
  const { Archive } = functions;
  if (Archive === undefined && registry.archives.length > 0)
    throw outdated('template.yaml to have the function Archive, because rules archive items, got none');
  if (Archive !== undefined && !isDeepStrictEqual(patternsOf(Archive.mapping), archiveFilters(registry)))
    throw outdated(
      'the filters of Archive in template.yaml to be those that follow from the rules, got others',
    );
}

function outdated(what: string): LocalError {
  return new LocalError('filter.outdated', `Expected ${what}: run \`npx denorm template\``);
}
