import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { expandedTemplate, type ResourcesFor } from './expanded-template.ts';
import { templates } from './templates.ts';

let resourcesFor: ResourcesFor;

const mapping = z.object({
  MaximumRetryAttempts: z.number().optional(),
  MaximumRecordAgeInSeconds: z.number().optional(),
  MaximumBatchingWindowInSeconds: z.coerce.number().optional(),
  MetricsConfig: z.object({ Metrics: z.array(z.string()) }).optional(),
  DestinationConfig: z.object({ OnFailure: z.unknown() }).optional(),
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }).optional(),
});

/** The event source mappings, by logical id. */
function mappings(parameters: Readonly<Record<string, string>> = {}) {
  return Object.entries(resourcesFor(parameters))
    .filter(([, { Type }]) => Type === 'AWS::Lambda::EventSourceMapping')
    .map(([id, { Properties }]) => [id, mapping.parse(Properties)] as const);
}

/** A pattern as Lambda's API reference describes it, under "Filter": `.*`, at most 4,096 characters. */
const documentedPattern = /^.{0,4096}$/;

describe.each(templates)('of $name:', ({ path, functions }) => {
  const streams = ['Propagate', 'Archive'].filter((id) => functions.includes(id)).map((id) => `${id}Stream`);

  beforeAll(async () => {
    resourcesFor = await expandedTemplate(path);
  });

  describe('the filters of the expanded template', () => {
    it('belong to the mappings of the stream, at most five each', () => {
      const filters = mappings().flatMap(([id, { FilterCriteria }]) =>
        FilterCriteria === undefined ? [] : [[id, FilterCriteria.Filters.length] as const],
      );
      expect(filters.map(([id]) => id).sort()).toEqual(streams.toSorted());
      for (const [id, count] of filters) {
        expect(count, id).toBeGreaterThan(0);
        // Source: Lambda Developer Guide, "Control which events Lambda sends to your function".
        expect(count, id).toBeLessThanOrEqual(5);
      }
    });

    it('are one line of JSON each, as AWS documents it', () => {
      for (const [id, { FilterCriteria }] of mappings())
        for (const { Pattern } of FilterCriteria?.Filters ?? []) {
          expect(Pattern, id).toMatch(documentedPattern);
          expect(() => JSON.parse(Pattern), id).not.toThrow();
        }
    });
  });

  describe.each(streams)('the mapping %s', (id) => {
    const settings = (parameters = {}) =>
      new Map(mappings(parameters)).get(id) ?? expect.fail(`no mapping ${id}`);

    it('gives a record up only by its age, in its last hour in the stream', () => {
      const { MaximumRetryAttempts, MaximumRecordAgeInSeconds = 0, DestinationConfig } = settings();
      expect(MaximumRetryAttempts).toBe(-1);
      // Source: DynamoDB Developer Guide, "Data retention limit for DynamoDB Streams". What expires there is counted nowhere.
      expect(MaximumRecordAgeInSeconds).toBeGreaterThanOrEqual(23 * 3600);
      expect(MaximumRecordAgeInSeconds).toBeLessThan(24 * 3600);
      expect(DestinationConfig?.OnFailure).toEqual({
        Destination: { 'Fn::GetAtt': [id.replace('Stream', 'FailureBucket'), 'Arn'] },
      });
    });

    it('counts the records that Lambda gives up', () => {
      expect(settings().MetricsConfig).toEqual({ Metrics: ['EventCount'] });
    });
  });

  it('Propagate gathers changes for a second, or for the time in a parameter', () => {
    const windowOf = (parameters = {}) =>
      new Map(mappings(parameters)).get('PropagateStream')?.MaximumBatchingWindowInSeconds;
    expect(windowOf()).toBe(1);
    expect(windowOf({ PropagateWindowSeconds: '0' })).toBe(0);
  });
});
