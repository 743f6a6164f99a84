import { describe, expect, test } from 'vitest';
import { jsValue } from '../../../src/model/items/attribute-value.ts';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { entryKey, headKey } from '../../../src/model/rules/ledger.ts';
import { count } from '../../../src/model/rules/reducers.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import { GSI1, table } from '../../../src/table.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { RecordingTelemetry } from '../../../src/testing/table-model/model-worker.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { workerAfter } from '../../fixtures/world/world.ts';
import { likes, likesOfPost, post as postKind } from '../../simulation/likes-rules.ts';

const { pk, sk, type } = table;
const target = { pk: 'POST#a', sk: 'POST' };
const first = { pk: 'LIKE#0', sk: 'LIKE' };
const rule = likesOfPost(2);

const post = (totals = {}) => itemOf({ [pk]: 'POST#a', [sk]: 'POST', [type]: 'Post', ...totals });
const like = (id: number, Weight = 1) =>
  itemOf({ [pk]: `LIKE#${id}`, [sk]: 'LIKE', [type]: 'Like', Post: 'a', Weight });

/** Members that are older than the ledger, and one backfill of them, then of the target. */
async function backfilled() {
  const search = new WorldSearch([post(), ...Array.from({ length: 30 }, (_, id) => like(id))], likes(2));
  const telemetry = new RecordingTelemetry();
  const propagations = search.propagations({ telemetry });
  await search.backfill(rule, { propagations });
  await search.backfill(rule, { propagations });
  return Object.assign(search, { reports: telemetry.propagations });
}

const postsOfThemselves = defineAggregate({
  name: 'posts-of-themselves',
  of: postKind,
  on: postKind,
  targetsOf: ({ ids }) => [postKind.key(ids)],
  computes: { Likes: count() },
  ledger: true,
});

async function repaired(search: WorldSearch) {
  await search.run();
  const found = search.found.map(({ kind, copy }) => `${kind} ${copy.pk}`);
  await search.propagations().repair(search.found);
  search.found.length = 0;
  await search.run();
  await search.propagations().repair(search.found);
  search.found.length = 0;
  await search.run();
  return { found: found.toSorted(), left: search.lines(), totals: totalsIn(search) };
}

function totalsIn({ table: items }: WorldSearch) {
  const item = items.read(target) ?? {};
  return ['Likes', 'Weight', 'Mean'].map((name) => item[name] && jsValue(item[name]));
}

describe('a ledger', () => {
  test('is built from members that are older, and is then without drift', async () => {
    const search = await backfilled();
    await search.run();

    expect(totalsIn(search)).toEqual([30, 30, 1]);
    expect(search.lines()).toEqual([]);
    // The members of a page are posted together, and so are the entries that a second backfill meets.
    const causes = search.reports.map(({ cause }) => cause);
    expect(causes.toSorted()).toEqual([...Array(8).fill('changed'), 'repair', 'repair']);
  });

  test('of members without what is summed is without drift', async () => {
    const { Weight: _, ...bare } = like(0);
    const worker = await workerAfter([post(), bare], likes(1));
    const search = new WorldSearch(worker.table.items(), likes(1));
    await search.run();

    expect(totalsIn(search)).toEqual([1, 0, undefined]);
    expect(search.lines()).toEqual([]);
  });

  test('of members that nobody has posted is found and repaired by verify and repair', async () => {
    const search = new WorldSearch([post(), like(0), like(1, 3)], likes(2));

    expect(await repaired(search)).toEqual({
      found: ['derived LIKE#0', 'derived LIKE#1', 'derived POST#a'],
      left: [],
      totals: [2, 4, 2],
    });
  });

  test.each<[string, (search: WorldSearch) => void, string, unknown[]]>([
    [
      'a member that went while no worker ran',
      ({ table: items }) => items.delete(first),
      'derived LIKE#0',
      [29, 29, 1],
    ],
    [
      'an entry that somebody deleted',
      ({ table: items }) => items.delete(entryKey(rule, target, first)),
      'derived LIKE#0',
      [30, 30, 1],
    ],
    [
      'a head that somebody wrote',
      ({ table: items }) => items.update(headKey(rule, target, 0), { set: { '+Likes': { N: '1000' } } }),
      `derived ${headKey(rule, target, 0).pk}`,
      [30, 30, 1],
    ],
    [
      'a target that somebody wrote',
      ({ table: items }) => items.update(target, { set: { Likes: { N: '7' } } }),
      'derived POST#a',
      [30, 30, 1],
    ],
  ])('with %s is repaired', async (_, spoil, found, totals) => {
    const search = await backfilled();
    spoil(search);
    const outcome = await repaired(search);

    expect(outcome.found).toContain(found);
    expect(outcome).toMatchObject({ left: [], totals });
  });
});

test('a member that is its own target has its entry repaired, and itself', async () => {
  const own = makeRegistry(table, [], [], [], [postsOfThemselves]);
  const search = new WorldSearch([post()], own);
  await search.backfill(postsOfThemselves);
  await search.backfill(postsOfThemselves);
  search.table.delete(entryKey(postsOfThemselves, target, target));

  expect(await repaired(search)).toMatchObject({
    found: ['derived POST#a', `derived ${headKey(postsOfThemselves, target, 0).pk}`],
    left: [],
    totals: [1, undefined, undefined],
  });
});

test('an aggregate goes from recomputing to a ledger and back, each by a backfill', async () => {
  const recomputed = {
    ...rule,
    ledger: undefined,
    members: [{ in: 'index' as const, index: GSI1, at: () => ({ pk: 'LIKES' }) }],
  };
  const indexed = [0, 1].map((id) => ({ ...like(id), [GSI1.pk]: { S: 'LIKES' }, [GSI1.sk]: { S: `${id}` } }));
  const [last = {}] = indexed;
  const before = new WorldSearch([post(), ...indexed], makeRegistry(table, [], [], [], [recomputed]));
  await before.backfill(recomputed);
  expect(totalsIn(before)).toEqual([2, 2, 1]);

  const ledger = new WorldSearch(before.table.items(), likes(2));
  await ledger.backfill(rule);
  await ledger.backfill(rule);
  expect(totalsIn(ledger)).toEqual([2, 2, 1]);
  await ledger.run();
  expect(ledger.lines()).toEqual([]);

  const back = new WorldSearch(ledger.table.items(), makeRegistry(table, [], [], [], [recomputed]));
  back.table.put({ ...last, Weight: { N: '4' } });
  await back.backfill(recomputed);
  expect(totalsIn(back)).toEqual([2, 5, 2.5]);
});
