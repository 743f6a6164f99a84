import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CopyLocation, isInLocation, locationText } from '../../../src/model/items/copy-location.ts';
import { keyPart } from '../../fixtures/model/arbitraries.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';

const location: fc.Arbitrary<CopyLocation> = fc.oneof(
  fc.record({
    in: fc.constant('partition' as const),
    pk: keyPart,
    begins: fc.option(keyPart, { nil: undefined }),
    backwards: fc.option(fc.constant(true as const), { nil: undefined }),
  }),
  fc.record({
    in: fc.constant('index' as const),
    index: fc.constantFrom('ByOwner', 'ByState'),
    pk: keyPart,
    begins: fc.option(keyPart, { nil: undefined }),
  }),
  fc.record({ in: fc.constant('key' as const), pk: keyPart, sk: keyPart }),
);

test('a location is the same as another if and only if all its parts are', () => {
  fc.assert(
    fc.property(location, location, (a, b) => {
      expect(locationText(structuredClone(a))).toBe(locationText(a));
      expect(locationText(a) === locationText(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
    { numRuns: 1000 },
  );
});

test('a location that is read from its end is another', () => {
  const forwards = { in: 'partition', pk: 'p' } as const;

  expect(locationText({ ...forwards, backwards: true })).not.toBe(locationText(forwards));
});

describe('an item is in', () => {
  const stored = item({ Part: 'p', Sort: 'ROW#1', OwnerPart: 'o', OwnerSort: 'ROW#9' });

  test.each<[string, CopyLocation]>([
    ['another partition', { in: 'partition', pk: 'q' }],
    ['the part that another sort key begins', { in: 'partition', pk: 'p', begins: 'ROW#2' }],
    ['another key', { in: 'key', pk: 'p', sk: 'ROW#' }],
    ['another partition of the index', { in: 'index', index: 'ByOwner', pk: 'p' }],
    ['another part of the index', { in: 'index', index: 'ByOwner', pk: 'o', begins: 'ROW#1' }],
    ['an index whose keys it lacks', { in: 'index', index: 'ByState', pk: 'o' }],
    ['an index that the table does not have', { in: 'index', index: 'ByMoon', pk: 'o' }],
  ])('not in %s', (_, where) => {
    expect(isInLocation(table, stored, where)).toBe(false);
  });

  test('no location if it has no key', () => {
    expect(
      isInLocation(table, item({ OwnerPart: 'o', OwnerSort: 'x' }), {
        in: 'index',
        index: 'ByOwner',
        pk: 'o',
      }),
    ).toBe(false);
  });
});
