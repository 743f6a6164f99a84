import type { Document } from 'yaml';
import type { Registry } from '../model/registry.ts';
import { exactFilterCount, maxPatterns, namedFilters, type StreamFunctionName } from './mapping-filters.ts';
import { oneLine } from './one-line.ts';
import { lineNode, mapAt, mapNode, seqNode } from './yaml-nodes.ts';

/** Gives a function's mapping the filters that follow from the rules, each with the names of its kinds. */
export function setFilters(document: Document, registry: Registry, name: StreamFunctionName): void {
  const filters = seqNode(
    namedFilters(registry, name).map(({ pattern, kinds }) => {
      const filter = mapNode({ Pattern: lineNode(oneLine(pattern)) });
      filter.commentBefore = ` ${kinds.join(', ')}`;
      return filter;
    }),
  );
  const exact = exactFilterCount(registry, name);
  if (exact > maxPatterns)
    filters.commentBefore =
      ` Broader than the rules: their kinds need ${exact} filters, and a mapping takes ${maxPatterns}. Records of other items` +
      '\n pass too; the function ignores them.';
  mapAt(document, ['Resources', name, 'Properties', 'Events', 'Stream', 'Properties', 'FilterCriteria']).set(
    'Filters',
    filters,
  );
}
