import fc from 'fast-check';
import { aging, predicate } from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import { compareRules } from '../../../src/cli/rules/compare-rules.ts';
import { type Description, describe as described } from '../../../src/explain/description.ts';
import { type Item, keyed } from '../../../src/model/items/item.ts';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import { type ArchiveRule, defineArchive } from '../../../src/model/rules/archive-rule.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { planUpdate } from '../../../src/plan/plan-writes.ts';
import { RootProjection } from '../../../src/plan/projection.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { ByOwner, table } from '../../fixtures/model/table.ts';
import { aMembership, aUser } from '../../fixtures/world/items.ts';
import { user } from '../../fixtures/world/kinds.ts';
import {
  dateOnOrderItems,
  incidentOnParticipations,
  orderOnUserOrder,
  orderStateKeys,
  usernameOnMemberships,
} from '../../fixtures/world/rules.ts';

type Definition = Rule | Aggregate | ArchiveRule;

const all = [
  incidentOnParticipations,
  usernameOnMemberships,
  orderOnUserOrder,
  orderStateKeys,
  dateOnOrderItems,
].map(described);

test('equivalent rules are the same', () => {
  expect(compareRules(all, structuredClone(all))).toEqual([]);
});

test('a new rule asks for a backfill if it writes; a removed one leaves copies as they are', () => {
  const idle = { ...described(usernameOnMemberships), fields: { onDelete: ['delete'] } };

  expect(compareRules([], all)).toMatchObject(all.map(() => ({ is: 'new', backfill: true })));
  expect(compareRules([], [idle])).toMatchObject([{ is: 'new', backfill: false }]);
  expect(compareRules(all, [])).toMatchObject(all.map(() => ({ is: 'removed', backfill: false })));
});

describe('a change of', () => {
  const changed = (type: Description['type'], field: string, before: string[], after: string[]) => {
    const versionOf = (entries: string[]) => [{ rule: 'a', type, fields: { [field]: entries } }];
    return compareRules(versionOf(before), versionOf(after));
  };

  test.each<[Description['type'], string, string, boolean]>([
    ['rule', 'root copy located rootOf when own unknown', 'always', true],
    ['rule', 'creates copies derive', 'if it writes more', true],
    ['rule', 'reads tenant onDelete onExpire', 'never', false],
    ['aggregate', 'of on members targetsOf', 'always', true],
    ['aggregate', 'computes creates onEmpty', 'if it writes more', true],
    ['aggregate', 'reads limit every invalid', 'never', false],
    ['archive', 'kinds when layout storageClass ages onDelete', 'never', false],
  ])('a %s in %s asks for a backfill %s', (type, fields, when, backfill) => {
    for (const field of fields.split(' ')) {
      expect(changed(type, field, ['a', 'b'], ['a', 'c'])).toEqual([
        { rule: 'a', type, is: 'changed', fields: { [field]: { before: ['b'], after: ['c'] } }, backfill },
      ]);
      expect(changed(type, field, ['a', 'b'], ['a'])).toMatchObject([{ backfill: when === 'always' }]);
    }
  });
});

describe('a changed function', () => {
  const at = () => ({ pk: 'p', sk: 's' });
  const rule: Rule = {
    ...usernameOnMemberships,
    located: { in: 'key', at },
    when: { root: () => true },
    derive: { Mark: () => undefined },
  };
  const aggregate = {
    is: 'aggregate' as const,
    ...{
      name: 'memberships',
      of: user,
      on: user,
      reads: { member: [], target: [] },
      limit: 5,
      every: 1,
      invalid: 'dead-letter' as const,
      creates: false,
      onEmpty: undefined,
      ledger: undefined,
    },
    members: [{ in: 'partition', at: () => ({ pk: 'p', begins: 's' }) }],
    targetsOf: () => [],
    computes: { Pay: { from: () => 1, add: (one: number) => one } },
  } satisfies Aggregate;
  const archive = defineArchive({
    ...{ name: 'archive-users', kinds: [user] },
    when: [predicate(user, { reads: [], item: () => true })],
    ages: aging(user, {
      ...{ reads: [], when: () => true, since: () => 0, days: 1 },
      found: { in: 'index', index: ByOwner, pks: [], until: () => 'x' },
      with: [{ kind: user, at: () => ({ in: 'key', pk: 'p', sk: 's' }) }],
    }),
  });

  test.each<[string, Definition, number]>([
    ['a rule', rule, 4],
    ['an aggregate', aggregate, 4],
    ['an archive rule', archive, 5],
  ])('of %s is a difference, whichever it is', (_, one, functions) => {
    const variants = withOneOtherFunction(one);

    expect(variants).toHaveLength(functions);
    for (const variant of variants)
      expect(compareRules([described(one)], [described(variant as Definition)])).toHaveLength(1);
  });
});

/** The same value once for each function in it, with another function in its place. Kinds have no functions of a project. */
function withOneOtherFunction(value: unknown): unknown[] {
  if (typeof value === 'function') return [() => 'another'];
  if (typeof value !== 'object' || value === null || value === user || value === usernameOnMemberships.copy)
    return [];
  return Object.entries(value).flatMap(([name, part]) =>
    withOneOtherFunction(part).map((other) =>
      Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other },
    ),
  );
}

const some = fc.subarray(['Name', 'Rank', 'Server'] as const);
const derivations: readonly Rule['derive'][] = [
  {},
  { Mark: ({ root }) => `${root['Rank']}!` },
  { Mark: ({ root }) => `${root['Rank']}?` },
];
const anyRule = fc
  .record({
    copies: fc.oneof(some, fc.constant('all' as const)),
    own: some,
    unknown: fc.constantFrom('keep' as const, 'remove' as const),
    derive: fc.constantFrom(...derivations),
  })
  .map(
    ({ copies, own, unknown, derive }): Rule => ({
      ...usernameOnMemberships,
      reads: { root: ['Rank'], copy: ['UserId'] },
      // Only a rule that copies all lists the copy’s own attributes.
      ...(copies === 'all' ? { copies, own: ['UserId', ...own], unknown } : { copies }),
      derive,
    }),
  );
const value = fc.constantFrom('x', 'y', undefined);
const attributes = fc.record({ Name: value, Server: value, Mark: value, Stray: value });
/** The schema of a root requires a name. */
const validAttributes = attributes.map((one) => ({ ...one, Name: one.Name ?? 'x' }));

test('a backfill is due if the new version writes anything to a copy that was right', () => {
  fc.assert(
    fc.property(anyRule, anyRule, validAttributes, attributes, (before, after, onRoot, onCopy) => {
      const root = aUser(onRoot);
      const copy = written(before, root, aMembership('p', onCopy));
      const update = planUpdate(new RootProjection(bound(after), root), keyed(table, copy))?.write;
      const changed = [...Object.keys(update?.set ?? {}), ...(update?.remove ?? [])];

      if (changed.length > 0)
        expect(compareRules([described(before)], [described(after)])).toMatchObject([{ backfill: true }]);
    }),
    { numRuns: 1_000 },
  );
});

/** The copy after the rule has updated it. */
function written(rule: Rule, root: Item, copy: Item): Item {
  const update = planUpdate(new RootProjection(bound(rule), root), keyed(table, copy))?.write;
  const after = { ...copy, ...update?.set };
  return Object.fromEntries(Object.entries(after).filter(([name]) => !update?.remove.includes(name)));
}
