import {
  type AgingSpec,
  aging,
  defineArchive,
  defineConfig,
  defineKind,
  defineRule,
} from 'stream-denormalizer';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { filterPatterns } from '../../../src/deploy/needs/mapping-filters.ts';
import { leadingKeys, usageOf } from '../../../src/deploy/needs/usage.ts';
import { incident, participation } from '../../fixtures/world/kinds.ts';
import { usernameOnMembershipsThat } from '../../fixtures/world/rules.ts';
import { contenderTotals } from '../../fixtures/world/totals.ts';
import { registryOf } from '../../fixtures/world/world.ts';
import { blog } from '../configs.ts';

const item = defineKind({ name: 'Item', pk: 'I#{a}', sk: 'X', attributes: z.object({ at: z.number() }) });
const byDay = { name: 'by-day', pk: 'day', sk: 'hour' };
const byWeek = { name: 'by-week', pk: 'week', sk: 'dayOfWeek' };

type Companion = NonNullable<AgingSpec<{ at: number }, 'a', 'at'>['with']>[number]['at'];

/** What a sweep needs for items with companions at this place. */
function sweepOf(at: Companion) {
  const ages = aging(item, {
    ...{ reads: ['at'], when: () => true, since: ({ at: since }) => since, days: 1 },
    found: { in: 'scan' },
    with: [{ kind: item, at }],
  });
  const config = defineConfig({
    table: { ...blog.table, indexes: { byDay, byWeek } },
    rules: [],
    archives: [defineArchive({ name: 'archive-items', kinds: [item], ages })],
  });
  return usageOf(config.registry()).sweep;
}

test.each(contenderTotals.members)('members at an end need the rights and records of all: %j', (location) => {
  const needs = (end: object) => {
    const registry = registryOf({ ...contenderTotals, members: [{ ...location, ...end }] });
    return { usage: usageOf(registry), filters: filterPatterns(registry, 'Propagate') };
  };

  expect(needs({ last: 3 })).toEqual(needs({}));
});

test.each<[string, Companion, object]>([
  ['a key', ({ ids }) => ({ in: 'key', ...item.key(ids) }), { queriesTable: false, indexes: [] }],
  ['a partition', ({ ids }) => ({ in: 'partition', pk: ids.a }), { queriesTable: true, indexes: [] }],
  [
    'an index',
    ({ ids }) => ({ in: 'index', index: 'by-week', pk: ids.a }),
    { queriesTable: false, indexes: ['by-week'] },
  ],
  [
    'a place that only a real item tells',
    ({ at }) => ({ in: 'key', pk: at.toFixed(0), sk: 'X' }),
    { queriesTable: true, indexes: ['by-day', 'by-week'] },
  ],
])('companions at %s are found with the permissions for it', (_, at, usage) => {
  expect(sweepOf(at)).toMatchObject({ scans: true, ...usage });
});

test('a rule that only removes needs the records of its roots alone, without a when', () => {
  const participationsGo = defineRule({
    name: 'participations-go',
    root: incident,
    copy: participation,
    located: { in: 'partition', at: ({ ids }) => ({ pk: participation.pk(ids) }) },
    rootOf: ({ ids }) => incident.key(ids),
    onDelete: 'delete',
    onExpire: 'keep',
  });
  const filtersOf = (rule: typeof participationsGo) =>
    JSON.stringify(filterPatterns(registryOf(rule), 'Propagate'));

  expect(filtersOf(participationsGo)).not.toContain('participations');
  expect(filtersOf({ ...participationsGo, when: { root: () => true } })).toContain('participations');
  const deletes = ['acct_*#incident_*#participations'];
  const needed = { updates: undefined, creates: undefined, deletes, conditionsOnRoots: true };
  expect(usageOf(registryOf(participationsGo)).propagation).toMatchObject(needed);
});

test.each([
  ['delete', true, true],
  ['clear', false, true],
  ['keep', false, false],
] as const)('copies to %s need these permissions: %j to delete, %j to look at roots', (policy, ...needs) => {
  const { propagation } = usageOf(registryOf(usernameOnMembershipsThat(policy, policy)));

  expect([propagation.deletes !== undefined, propagation.conditionsOnRoots]).toEqual(needs);
});

const names = { pk: 'PK', sk: 'SK', indexes: {}, ttl: 'ttl', type: 'type' } as const;

const kindOf = (pk: string) => defineKind({ name: pk, pk, sk: 'X', attributes: z.object({}) });

/** Whether IAM lets a key pass: `*` stands for any text, `?` for any character, and `${` begins a variable. */
function passes(patterns: readonly string[], key: string): boolean {
  expect(patterns.join()).not.toContain('$');
  return patterns.some((pattern) => {
    const regular = pattern
      .replace(/[\\^$.|+(){}[\]]/g, '\\$&')
      .replaceAll('?', '.')
      .replaceAll('*', '.*');
    return new RegExp(`^${regular}$`, 's').test(key);
  });
}

test('the keys of written kinds pass, and those of other kinds do not', () => {
  const patterns = leadingKeys(names, [kindOf('acct_{a}#inc_{i}#part'), kindOf('TOTALS'), kindOf('TOTALS')]);

  expect(patterns).toEqual(['acct_*#inc_*#part', 'TOTALS']);
  for (const key of ['acct_A#inc_1#part', 'acct_\n#inc_*#part', 'TOTALS'])
    expect(passes(patterns, key), key).toBe(true);
  for (const key of ['acct_A#inc', 'TOTALS#1', 'USER#1']) expect(passes(patterns, key), key).toBe(false);
});

test('a character with a meaning in IAM is matched like any other', () => {
  const kind = kindOf('$*?{id}');

  expect(passes(leadingKeys(names, [kind]), kind.pk({ id: '1' }))).toBe(true);
});

test('nothing is told apart if the key of one kind may be any text', () => {
  expect(leadingKeys(names, [kindOf('USER#{user}'), kindOf('{id}')])).toEqual([]);
});

test('nothing is told apart by a number: no pattern would let its writes pass', () => {
  const numeric = { ...names, pk: { name: 'id', type: 'N' } } as const;

  for (const pk of ['{id:number}', '{id:bigint}', '7'])
    expect(leadingKeys(numeric, [kindOf(pk)]), pk).toEqual([]);
});
