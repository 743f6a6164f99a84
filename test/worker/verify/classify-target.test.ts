import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { list } from '../../../src/model/rules/reducers.ts';
import { classifyTarget } from '../../../src/worker/verify/classify-target.ts';
import { driftIn } from '../../../src/worker/verify/verify-state.ts';
import type { Targetless } from '../../../src/worker/verify/verify-table.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { item } from '../../fixtures/model/items.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { aContender, aMatch, contenderTotals } from '../../fixtures/world/totals.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const right = { Matches: 1, Points: 2, Votes: 0, First: '2026-03-01', Last: '2026-03-01' };

function searchOver(items: readonly Item[]): WorldSearch {
  return new WorldSearch(items, contenderTotals);
}

describe('wrong totals', () => {
  const items = [
    aContender('a', { ...right, Points: 99, Longest: 'made up' }),
    aContender('b', { ...right, Points: 1 }),
    aMatch('a', 'b'),
  ];

  test('are found, and right ones are not', async () => {
    const search = searchOver(items);

    const state = await search.run();

    expect(search.lines()).toEqual(['derived contender-totals CONTENDER#a CONTENDER: Longest,Points']);
    expect(state.rules['contender-totals']).toMatchObject({ copies: 2, derived: 1 });
  });

  test('are mended, and nothing else is written', async () => {
    const search = searchOver(items);
    await search.run();
    const before = search.table.history.length;

    const outcome = await search.propagations().repair(search.found);

    expect(outcome).toMatchObject({ written: 1, leftAlone: [] });
    expect(search.table.history.slice(before).map(({ key }) => key.pk)).toEqual(['CONTENDER#a']);
    expect(search.table.read(keyIn(aContender('a')))).toEqual(aContender('a', right));
    expect(driftIn(await search.run())).toBe(0);
  });
});

test('a list of the last members is compared with them alone, and mended', async () => {
  const location = { in: 'partition', at: () => ({ pk: 'CONTENDER#a' }), last: 2 } as const;
  const computes = { Longest: list(['Rival', 'Votes']) };
  const matches = [aMatch('a', 'b', { Votes: 'many' }), aMatch('a', 'c'), aMatch('a', 'd', { Votes: 3 })];
  const Longest = [{ Rival: 'd', Votes: 3 }, { Rival: 'c' }];
  const wrong = aContender('a', { Longest: Longest.toReversed() });
  const search = new WorldSearch([wrong, ...matches], { ...contenderTotals, members: [location], computes });
  await search.run();

  expect(search.lines()).toEqual(['derived contender-totals CONTENDER#a CONTENDER: Longest']);
  await search.propagations().repair(search.found);
  expect(search.table.read(keyIn(wrong))).toEqual(aContender('a', { Longest }));
  expect(driftIn(await search.run())).toBe(0);
});

test('a target with an invalid member is reported with the reason', async () => {
  const search = searchOver([aContender('a'), aMatch('a', 'a', { HomePoints: 'two' })]);

  await search.run();

  expect(search.found).toMatchObject([
    {
      ...{ kind: 'invalid', concerns: 'member', code: 'member.invalid', copy: keyIn(aContender('a')) },
      reason: expect.stringMatching(/^member \{"Part":"CONTENDER#a","Sort":"MATCH#a"\}: Expected /),
    },
  ]);
  expect(search.lines()).toEqual(['invalid contender-totals CONTENDER#a CONTENDER']);
});

test('a target with a member that is skipped is computed, and reported with the reason', async () => {
  const invalid = aMatch('a', 'c', { HomePoints: 'two' });
  const skipping = { ...contenderTotals, invalid: 'skip' } as const;
  const search = new WorldSearch(
    [aContender('a', { ...right, Points: 99 }), aMatch('a', 'b'), invalid],
    skipping,
  );
  await search.run();
  expect(search.lines()).toEqual(['derived contender-totals CONTENDER#a CONTENDER: Points']);

  await search.propagations().repair(search.found);
  const again = new WorldSearch(search.table.items(), skipping);
  await again.run();

  expect(again.table.read(keyIn(aContender('a')))).toEqual(aContender('a', right));
  expect(again.found).toMatchObject([
    {
      ...{ kind: 'invalid', concerns: 'member', code: 'member.invalid', copy: keyIn(aContender('a')) },
      reason: expect.stringMatching(/^member \{"Part":"CONTENDER#a","Sort":"MATCH#c"\}: Expected /),
    },
  ]);
});

describe('classifyTarget', () => {
  function classified(target: Item, members: readonly Item[]) {
    const { port } = searchOver([target, ...members]);
    return classifyTarget(port, bound(contenderTotals), keyIn(target), target);
  }

  test('says what a target should have, whether it has it or not', async () => {
    for (const target of [aContender('a', right), aContender('a')])
      expect((await classified(target, [aMatch('a', 'b')])).computed).toEqual(item(right));
  });

  test('reads all members, however many', async () => {
    const matches = Array.from({ length: 501 }, (_, index) => aMatch('a', `g${index}`));

    expect((await classified(aContender('a'), matches)).computed).toMatchObject(item({ Matches: 501 }));
  });

  test('takes a table that is not available for no invalid item', async () => {
    const { port } = searchOver([]);
    port.before = () => {
      throw new TransientError('table.throttled', 'busy');
    };

    const key = keyIn(aContender('a'));
    await expect(classifyTarget(port, bound(contenderTotals), key, undefined)).rejects.toThrow('busy');
  });
});

test('a backfill computes every target, and no other item', async () => {
  const search = searchOver([aContender('a'), aContender('b'), aContender('c'), aMatch('a', 'b')]);

  const outcome = await search.backfill(contenderTotals);

  expect(outcome).toMatchObject({ propagations: 3, written: 3, leftAlone: [] });
  expect(search.table.read(keyIn(aContender('b')))).toMatchObject(item({ Matches: 1, Points: 1 }));
});

test.each([undefined, { shards: 1 }])('members without a target are counted and named', async (ledger) => {
  const search = new WorldSearch([aContender('a'), aMatch('a', 'b'), aMatch('a', 'c')], {
    ...contenderTotals,
    ledger,
  });
  const found: Targetless[] = [];
  const { rules } = await search.run({ onTargetless: (one) => found.push(one) });

  expect(rules['contender-totals']).toMatchObject({ members: 4, targetless: 2 });
  expect(found.map(({ copy, root }) => `${copy.pk} ${root.pk}`).toSorted()).toEqual(
    ['b', 'c'].map((user) => `${keyIn(aMatch('a', user)).pk} CONTENDER#${user}`),
  );
});
