import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { filterPatterns } from '../../src/deploy/mapping-filters.ts';
import { oneLine } from '../../src/deploy/one-line.ts';
import { eventFilter } from '../../src/develop/dev/event-source/event-filter.ts';
import { defineArchive } from '../../src/model/archive-rule.ts';
import type { KeyPattern } from '../../src/model/key-pattern.ts';
import { type AnyKind, defineKind } from '../../src/model/kind.ts';
import { makeRegistry } from '../../src/model/registry.ts';
import { table } from '../../src/table.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { bare } from '../fixtures/model/rules.ts';

const registry = loadRules({ statusShards: 1, disabled: [] });

/** Key parts that match this pattern, with varied ids. */
function keyPart({ pattern, parse }: KeyPattern): fc.Arbitrary<string> {
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const id = fc.oneof(
    fc.string({ minLength: 1, unit: 'binary' }),
    fc.constantFrom('42', 'a b', '#', '..', '§'),
  );
  return fc
    .tuple(...names.map(() => id))
    .map((ids) =>
      names.reduce((text, name, index) => text.replace(`{${name}}`, () => ids[index] ?? ''), pattern),
    )
    .filter((part) => parse(part) !== undefined);
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

  it('drop records of kinds that only the other function needs', () => {
    const others = functions
      .flatMap((one) => one.kinds)
      .filter(({ name }) => !kinds.some((kind) => kind.name === name));
    expect(others.length).toBeGreaterThan(0);
    for (const other of others)
      fc.assert(
        fc.property(eventName, keyOfKind(other), (event, key) => {
          // If an id ends like another kind's key, the key is of both kinds.
          fc.pre(!kinds.some((kind) => kind.idsOf(key) !== undefined));
          return !passes(record(event, key)) || endsAsAnother(kinds, key);
        }),
      );
  });
});

/** Whether the key's ids make it begin or end like the key of one of the kinds. A filter cannot distinguish such keys. */
function endsAsAnother(kinds: readonly AnyKind[], { pk, sk }: { pk: string; sk: string }): boolean {
  return kinds.some(
    ({ pkPattern: { edges: left }, skPattern: { edges: right } }) =>
      (left.suffix !== '' ? pk.endsWith(left.suffix) : pk.startsWith(left.prefix)) &&
      (right.suffix !== '' ? sk.endsWith(right.suffix) : sk.startsWith(right.prefix)),
  );
}

describe('filters of many kinds', () => {
  const kind = (name: string, pk: string, sk: string): AnyKind =>
    defineKind({ name, pk, sk, attributes: z.object({}) });
  const filtersFor = (...kinds: AnyKind[]) =>
    filterPatterns(makeRegistry(table, [], [defineArchive({ name: 'archive', kinds })]), 'Archive');

  it('are at most five, and still pass every kind', () => {
    const kinds = Array.from({ length: 9 }, (_, index) =>
      kind(`K${index}`, `P${index}#{a}`, `S${index}#{b}`),
    );
    const filters = filtersFor(...kinds);
    expect(filters).toHaveLength(5);
    const passes = eventFilter(filters);
    for (const [index] of kinds.entries())
      expect(passes(record('INSERT', { pk: `P${index}#x`, sk: `S${index}#y` }))).toBe(true);
  });

  it('pass two kinds that share a name', () => {
    const rules = [kind('A', 'P#{a}', 'X'), kind('A', 'Q#{a}', 'Y')].map((root, index) =>
      bare({ name: `rule-${index}`, root, copy: kind('C', 'C#{c}', 'Z'), copies: [`Name${index}`] }),
    );
    const passes = eventFilter(filterPatterns({ ...makeRegistry(table, []), rules }, 'Propagate'));

    expect(passes(record('INSERT', { pk: 'P#x', sk: 'X' }))).toBe(true);
    expect(passes(record('INSERT', { pk: 'Q#x', sk: 'Y' }))).toBe(true);
  });

  it('share a pattern if partition keys, or too many sort keys, have the same pattern', () => {
    expect(filtersFor(kind('A', 'P#{a}', 'X'), kind('B', 'P#{a}', 'Y#{b}'))).toEqual([
      { dynamodb: { Keys: { PK: { S: [{ prefix: 'P#' }] }, SK: { S: ['X', { prefix: 'Y#' }] } } } },
    ]);
    const many = Array.from({ length: 6 }, (_, index) => kind(`K${index}`, `P${index}#{a}`, 'X'));
    expect(filtersFor(...many)).toHaveLength(1);
  });

  it('test less if the pattern of many kinds would be too long, and still pass every kind', () => {
    const prefix = 'x'.repeat(40);
    const kinds = Array.from({ length: 90 }, (_, index) =>
      kind(`K${index}`, `${prefix}${index}#{a}`, `${prefix}${index}#{b}`),
    );
    for (const count of [20, 40, 90]) {
      const filters = filtersFor(...kinds.slice(0, count));
      const passes = eventFilter(filters);
      // Source: Lambda API Reference, "Filter".
      for (const filter of filters) expect(oneLine(filter).length).toBeLessThanOrEqual(4096);
      for (let index = 0; index < count; index += 1)
        expect(
          passes(record('MODIFY', { pk: `${prefix}${index}#x`, sk: `${prefix}${index}#y` })),
          String(index),
        ).toBe(true);
    }
  });

  it('pass every record if a kind accepts any key', () => {
    const [filter = {}] = filtersFor(kind('A', '{a}', '{b}'));
    expect(eventFilter([filter])(record('REMOVE', { pk: 'x', sk: 'y' }))).toBe(true);
  });
});
