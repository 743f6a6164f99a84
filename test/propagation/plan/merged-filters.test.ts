import { describe, expect, test } from 'vitest';
import { eventFilter } from '../../../src/dev/event-source/event-filter.ts';
import { type MappingFilter, propagateFilters } from '../../../src/model/mapping-filters.ts';
import { cruises } from '../../fixtures/cruises/cruise-rules.ts';
import { bare, keyed } from '../../fixtures/model/rules.ts';

/** The filters of one kind for each of these keys. */
function filtersOf(...keys: readonly (readonly [pk: string, sk: string])[]): readonly MappingFilter[] {
  const kinds = keys.map(([pk, sk], index) => keyed(`K${index}`, pk, sk));
  const rules = kinds.map((kind, index) => bare({ name: `rule-${index}`, root: kind, copy: kind }));
  return propagateFilters({ ...cruises(), rules });
}

function keysOf(filter: MappingFilter | undefined): unknown {
  return filter?.['dynamodb'];
}

const shapes = Array.from({ length: 8 }, (_, index) => [`P${index}#{a}`, `S${index}#{b}`] as const);

describe('filters are merged no further than they have to be', () => {
  test('up to five kinds keep one each, though their sort keys are alike', () => {
    const alike = Array.from({ length: 5 }, (_, index) => [`P${index}#{a}`, 'X'] as const);

    expect(filtersOf(...alike)).toHaveLength(5);
  });

  test('of more than five, the first four keep theirs, and the fifth lets the others pass', () => {
    const filters = filtersOf(...shapes);

    expect(filters.map(keysOf)).toEqual([
      ...[0, 1, 2, 3].map((index) => ({
        Keys: { Part: { S: [{ prefix: `P${index}#` }] }, Sort: { S: [{ prefix: `S${index}#` }] } },
      })),
      {
        Keys: {
          Part: { S: [4, 5, 6, 7].map((index) => ({ prefix: `P${index}#` })) },
          Sort: { S: [4, 5, 6, 7].map((index) => ({ prefix: `S${index}#` })) },
        },
      },
    ]);
  });

  test('one that takes any key makes the merged one take any', () => {
    expect(filtersOf(['P#{a}', 'X'], ['P#{a}', '{b}']).map(keysOf)).toEqual([
      { Keys: { Part: { S: [{ prefix: 'P#' }] } } },
    ]);
    expect(filtersOf(['P#{a}', '{b}'], ['P#{a}', 'X']).map(keysOf)).toEqual([
      { Keys: { Part: { S: [{ prefix: 'P#' }] } } },
    ]);
  });

  test('a kind that takes any key gets a pattern that every record with a key passes', () => {
    const filters = filtersOf(['{a}', '{b}']);

    expect(filters).toEqual([{ dynamodb: { Keys: { Part: { S: [{ exists: true }] } } } }]);
    expect(eventFilter(filters)({ dynamodb: { Keys: { Part: { S: 'x' }, Sort: { S: 'y' } } } })).toBe(true);
    expect(eventFilter(filters)({ dynamodb: { Keys: {} } })).toBe(false);
  });
});
