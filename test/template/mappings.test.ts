import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { expandedTemplate, type ResourcesFor } from './expanded-template.ts';
import { projectTemplate } from './template-lint.ts';

let resourcesFor: ResourcesFor;
beforeAll(async () => {
  resourcesFor = await expandedTemplate(projectTemplate);
});

const mapping = z.object({
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }).optional(),
});

/** The event source mappings, by logical id. */
function mappings() {
  return Object.entries(resourcesFor())
    .filter(([, { Type }]) => Type === 'AWS::Lambda::EventSourceMapping')
    .map(([id, { Properties }]) => [id, mapping.parse(Properties)] as const);
}

/** A pattern as Lambda's API reference describes it, under "Filter": `.*`, at most 4,096 characters. */
const documentedPattern = /^.{0,4096}$/;

describe('the filters of the expanded template', () => {
  it('are those of two mappings, at most five each', () => {
    const filters = mappings().flatMap(([id, { FilterCriteria }]) =>
      FilterCriteria === undefined ? [] : [[id, FilterCriteria.Filters.length] as const],
    );
    expect(filters.map(([id]) => id).sort()).toEqual(['ArchiveStream', 'PropagateStream']);
    for (const [id, count] of filters) {
      expect(count, id).toBeGreaterThan(0);
      // Source: Lambda Developer Guide, "Control which events Lambda sends to your function".
      expect(count, id).toBeLessThanOrEqual(5);
    }
  });

  it('are JSON of one line each, as the pattern of a filter is documented', () => {
    for (const [id, { FilterCriteria }] of mappings())
      for (const { Pattern } of FilterCriteria?.Filters ?? []) {
        expect(Pattern, id).toMatch(documentedPattern);
        expect(() => JSON.parse(Pattern), id).not.toThrow();
      }
  });
});
