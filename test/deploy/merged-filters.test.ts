import { describe, expect, test } from 'vitest';
import { type FilterPattern, filterPatterns } from '../../src/deploy/mapping-filters.ts';
import { eventFilter } from '../../src/develop/dev/event-source/event-filter.ts';
import { cruises } from '../fixtures/cruises/cruise-rules.ts';
import { bare, keyed } from '../fixtures/model/rules.ts';

/** The filters of one kind for each of these keys. */
function filtersOf(...keys: readonly (readonly [pk: string, sk: string])[]): readonly FilterPattern[] {
  const kinds = keys.map(([pk, sk], index) => keyed(`K${index}`, pk, sk));
  const rules = kinds.map((kind, index) => bare({ name: `rule-${index}`, root: kind, copy: kind }));
  return filterPatterns({ ...cruises(), rules }, 'Propagate');
}

function keysOf(filter: FilterPattern | undefined): unknown {
  return filter?.['dynamodb'];
}

const shapes = Array.from({ length: 8 }, (_, index) => [`P${index}#{a}`, `S${index}#{b}`] as const);

describe('filters are merged only as far as necessary', () => {
  test('up to five kinds have a filter each, even if their sort keys are alike', () => {
    const alike = Array.from({ length: 5 }, (_, index) => [`P${index}#{a}`, 'X'] as const);

    expect(filtersOf(...alike)).toHaveLength(5);
  });

  test('of more than five kinds, the first four keep their filters, and the fifth filter passes the others', () => {
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

  test('a filter for any key makes the merged filter accept any key', () => {
    expect(filtersOf(['P#{a}', 'X'], ['P#{a}', '{b}']).map(keysOf)).toEqual([
      { Keys: { Part: { S: [{ prefix: 'P#' }] } } },
    ]);
    expect(filtersOf(['P#{a}', '{b}'], ['P#{a}', 'X']).map(keysOf)).toEqual([
      { Keys: { Part: { S: [{ prefix: 'P#' }] } } },
    ]);
  });

  test('a kind that accepts any key gets a pattern that matches every record with a key', () => {
    const filters = filtersOf(['{a}', '{b}']);

    expect(filters).toEqual([{ dynamodb: { Keys: { Part: { S: [{ exists: true }] } } } }]);
    expect(eventFilter(filters)({ dynamodb: { Keys: { Part: { S: 'x' }, Sort: { S: 'y' } } } })).toBe(true);
    expect(eventFilter(filters)({ dynamodb: { Keys: {} } })).toBe(false);
  });
});
