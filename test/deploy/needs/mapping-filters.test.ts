import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine } from '../../../src/deploy/cloudformation.ts';
import { type FilterPattern, filterPatterns } from '../../../src/deploy/needs/mapping-filters.ts';
import { eventFilter } from '../../../src/dev/event-source/event-filter.ts';
import { filled, type KeyPattern } from '../../../src/model/kinds/key-pattern.ts';
import type { AnyKind } from '../../../src/model/kinds/kind.ts';
import { entryKey, headKey } from '../../../src/model/rules/ledger.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import { table } from '../../../src/table.ts';
import { loadRules } from '../../fixtures/application/load-rules.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { bare, keyed } from '../../fixtures/model/rules.ts';
import { likes, likesOfPost } from '../../simulation/likes-rules.ts';

const registry = loadRules({ statusShards: 1, disabled: [] });

/** Key parts that match this pattern, with varied ids. */
function keyPart(pattern: KeyPattern): fc.Arbitrary<string> {
  const id = fc.oneof(
    fc.string({ minLength: 1, unit: 'binary' }),
    fc.constantFrom('42', 'a b', '#', '..', '§'),
  );
  return fc
    .tuple(...pattern.names.map(() => id))
    .map((ids) => filled(pattern, (_, index) => ids[index] ?? ''))
    .filter((part) => pattern.parse(part) !== undefined);
}

const keyOfKind = (kind: AnyKind) => fc.record({ pk: keyPart(kind.pkPattern), sk: keyPart(kind.skPattern) });

const eventName = fc.constantFrom('INSERT', 'MODIFY', 'REMOVE');

/** A record as Lambda delivers it. It has no images, because the filters test only keys. */
function record(event: string, { pk, sk }: { pk: string; sk: string }) {
  const Keys = { PK: { S: pk }, SK: { S: sk } };
  const image = { ...Keys, Type: { S: 'Whatever' } };
  return {
    eventName: event,
    dynamodb: {
      Keys,
      ...(event !== 'REMOVE' && { NewImage: image }),
      ...(event !== 'INSERT' && { OldImage: image }),
    },
  };
}

/** Items that no rule names and that are not archived, by the partition keys and sort keys of the table's applications. */
const id = fc.stringMatching(/^[A-Za-z0-9]{1,12}$/);
const strangers = fc.tuple(id, id).chain(([a, b]) =>
  fc.constantFrom(
    ...[
      { pk: `acct_${a}#team`, sk: `team_${b}` },
      { pk: `acct_${a}#team`, sk: `team_${b}#schedule_${a}` },
      { pk: `acct_${a}#user`, sk: `user_${b}` },
      { pk: `acct_${a}#user_${b}`, sk: `cm_${a}` },
      { pk: `acct_${a}#user_${b}`, sk: `nr_${a}` },
      { pk: `SERVER#${a}`, sk: '#METADATA' },
      { pk: a, sk: 'metadata' },
      { pk: a, sk: b },
      { pk: a, sk: 'matchups' },
    ],
  ),
);

const functions = [
  {
    name: 'Propagate',
    kinds: registry.rules.flatMap(({ root, copy }) => [root, copy]),
    filters: filterPatterns(registry, 'Propagate'),
  },
  {
    name: 'Archive',
    kinds: registry.archives.flatMap(({ kinds: archived }) => archived),
    filters: filterPatterns(registry, 'Archive'),
  },
] as const;

describe.each(functions)('the filters of $name', ({ kinds, filters }) => {
  const passes = eventFilter(filters);

  it('are as many as a mapping takes', () => {
    expect(filters.length).toBeLessThanOrEqual(5);
  });

  it.each(kinds.map((kind) => [kind.name, kind] as const))('pass every record of %s', (_, kind) => {
    fc.assert(fc.property(eventName, keyOfKind(kind), (event, key) => passes(record(event, key))));
  });

  it('drop records of kinds that no rule names', () => {
    fc.assert(fc.property(eventName, strangers, (event, key) => !passes(record(event, key))));
  });
});

describe('filters of many kinds', () => {
  const keysOf = (filter: FilterPattern | undefined): unknown => filter?.['dynamodb'];

  const ofHeartbeat = { Keys: { PK: { S: ['~denorm#HEARTBEAT'] }, SK: { S: ['HEARTBEAT'] } } };

  /** The filters of one kind for each of these keys. */
  function filtersOf(...keys: readonly (readonly [pk: string, sk: string])[]): readonly FilterPattern[] {
    const kinds = keys.map(([pk, sk], index) => keyed(`K${index}`, pk, sk));
    const rules = kinds.map((kind, index) => bare({ name: `rule-${index}`, root: kind, copy: kind }));
    return filterPatterns(
      { ...makeRegistry(table, []), rules: rules.map((rule) => bound(rule)) },
      'Propagate',
    );
  }

  it('are one each up to five, even if their sort keys are alike', () => {
    const alike = Array.from({ length: 5 }, (_, index) => [`P${index}#{a}`, 'X'] as const);

    expect(filtersOf(...alike)).toHaveLength(5);
    // A sixth has them share one, which tests all partition keys.
    expect(filtersOf(...alike, ['P5#{a}', 'X'])).toHaveLength(1 + 1);
  });

  it('are five of more than five: four of their own, and one for the others', () => {
    const shapes = Array.from({ length: 8 }, (_, index) => [`P${index}#{a}`, `S${index}#{b}`] as const);

    expect(filtersOf(...shapes).map(keysOf)).toEqual([
      ...[0, 1, 2, 3].map((index) => ({
        Keys: { PK: { S: [{ prefix: `P${index}#` }] }, SK: { S: [{ prefix: `S${index}#` }] } },
      })),
      {
        Keys: {
          PK: { S: [...[4, 5, 6, 7].map((index) => ({ prefix: `P${index}#` })), '~denorm#HEARTBEAT'] },
          SK: { S: [...[4, 5, 6, 7].map((index) => ({ prefix: `S${index}#` })), 'HEARTBEAT'] },
        },
      },
    ]);
  });

  it('share a pattern if their partition keys do', () => {
    const [pk, shared] = ['P#{a}', { PK: { S: [{ prefix: 'P#' }] } }];

    expect(filtersOf([pk, 'X'], [pk, 'Y#{b}']).map(keysOf)).toEqual([
      { Keys: { ...shared, SK: { S: ['X', { prefix: 'Y#' }] } } },
      ofHeartbeat,
    ]);
    expect(filtersOf([pk, 'X'], [pk, '{b}']).map(keysOf)).toEqual([{ Keys: shared }, ofHeartbeat]);
    expect(filtersOf([pk, '{b}'], [pk, 'X']).map(keysOf)).toEqual([{ Keys: shared }, ofHeartbeat]);
  });

  it('match every record with a key if a kind accepts any', () => {
    const filters = filtersOf(['{a}', '{b}']);

    expect(filters[0]).toEqual({ dynamodb: { Keys: { PK: { S: [{ exists: true }] } } } });
    expect(eventFilter(filters)(record('REMOVE', { pk: 'x', sk: 'y' }))).toBe(true);
    expect(eventFilter(filters)({ dynamodb: { Keys: {} } })).toBe(false);
  });

  it.each([1, 5, 8])('pass the heartbeat, and no more items for that, with %i kinds', (count) => {
    const shapes = Array.from({ length: count }, (_, index) => [`P${index}#{a}`, `S${index}#{b}`] as const);
    const filters = filtersOf(...shapes);
    const passes = eventFilter(filters);

    expect(filters.length).toBeLessThanOrEqual(5);
    expect(passes(record('MODIFY', { pk: '~denorm#HEARTBEAT', sk: 'HEARTBEAT' }))).toBe(true);
    for (const key of [
      { pk: '~denorm#PAUSES', sk: 'PAUSES' },
      { pk: '~denorm#HEARTBEAT', sk: 'PAUSES' },
      { pk: 'P9#x', sk: 'S0#x' },
    ])
      expect(passes(record('MODIFY', key))).toBe(false);
  });

  it('are none for the heartbeat if the function has nothing to read, or the key is a number', () => {
    const numeric = { ...table, pk: { name: 'id', type: 'N' } as const };
    const rule = bound(bare({ name: 'rule', root: keyed('K', '{a}', 'X'), copy: keyed('K', '{a}', 'X') }));

    expect(filterPatterns(makeRegistry(table, []), 'Propagate')).toEqual([]);
    expect(filterPatterns({ ...makeRegistry(numeric, []), rules: [rule] }, 'Propagate')).toHaveLength(1);
  });

  it('pass two kinds that share a name', () => {
    const rules = [keyed('A', 'P#{a}', 'X'), keyed('A', 'Q#{a}', 'Y')].map((root, index) =>
      bare({ name: `rule-${index}`, root, copy: keyed('C', 'C#{c}', 'Z'), copies: [`Name${index}`] }),
    );
    const passes = eventFilter(
      filterPatterns({ ...makeRegistry(table, []), rules: rules.map((rule) => bound(rule)) }, 'Propagate'),
    );

    expect(passes(record('INSERT', { pk: 'P#x', sk: 'X' }))).toBe(true);
    expect(passes(record('INSERT', { pk: 'Q#x', sk: 'Y' }))).toBe(true);
  });

  it('pass the entries and the heads of a ledger', () => {
    const [target, member] = [
      { pk: 'POST#a', sk: 'POST' },
      { pk: 'LIKE#1', sk: 'LIKE' },
    ];
    const passes = eventFilter(filterPatterns(likes(2), 'Propagate'));

    for (const key of [entryKey(likesOfPost(2), target, member), headKey(likesOfPost(2), target, 0)])
      expect(passes(record('REMOVE', key))).toBe(true);
    expect(passes(record('REMOVE', { pk: '~likes-of-post#0/2#x', sk: 'other' }))).toBe(false);
  });

  it.each([20, 40, 90])(
    'test less if a pattern of %i kinds would be too long, and still pass every kind',
    (count) => {
      const prefix = 'x'.repeat(40);
      const kinds = Array.from({ length: count }, (_, index) => index);
      const filters = filtersOf(
        ...kinds.map((index) => [`${prefix}${index}#{a}`, `${prefix}${index}#{b}`] as const),
      );
      const passes = eventFilter(filters);

      // Source: Lambda API Reference, "Filter".
      for (const filter of filters) expect(oneLine(filter).length).toBeLessThanOrEqual(4096);
      for (const index of kinds) {
        const key = { pk: `${prefix}${index}#x`, sk: `${prefix}${index}#y` };
        expect(passes(record('MODIFY', key)), String(index)).toBe(true);
      }
    },
  );
});
