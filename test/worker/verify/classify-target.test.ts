import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { classifyTarget } from '../../../src/worker/verify/classify-target.ts';
import { driftIn } from '../../../src/worker/verify/verify-state.ts';
import type { Targetless } from '../../../src/worker/verify/verify-table.ts';
import { keyed, keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { aClub, aGame, clubTotals, league } from '../../fixtures/league/league.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { item } from '../../fixtures/model/items.ts';
import { ModelSearch } from './search.ts';

const right = { Games: 1, Goals: 2, Gate: 0, First: '2026-03-01', Last: '2026-03-01' };

function searchOver(items: readonly Item[]): ModelSearch {
  return new ModelSearch(items, league());
}

describe('wrong totals', () => {
  const items = [
    aClub('a', { ...right, Goals: 99, Longest: 'made up' }),
    aClub('b', { ...right, Goals: 1 }),
    aGame('a', 'b'),
  ];

  test('are found, and right ones are not', async () => {
    const search = searchOver(items);

    const state = await search.run();

    expect(search.lines()).toEqual(['derived club-totals CLUB#a CLUB: Goals,Longest']);
    expect(state.rules['club-totals']).toMatchObject({ copies: 2, derived: 1 });
  });

  test('are mended, and nothing else is written', async () => {
    const search = searchOver(items);
    await search.run();
    const before = search.table.history.length;

    const outcome = await search.propagations().repair(search.drift());

    expect(outcome).toMatchObject({ written: 1, leftAlone: [] });
    expect(search.table.history.slice(before).map(({ key }) => key.pk)).toEqual(['CLUB#a']);
    expect(search.table.read(keyIn(aClub('a')))).toEqual(aClub('a', right));
    expect(driftIn(await search.run())).toBe(0);
  });
});

test('a target with an invalid member is reported with the reason', async () => {
  const search = searchOver([aClub('a'), aGame('a', 'a', { HomeGoals: 'two' })]);

  await search.run();

  expect(search.drift()).toMatchObject([
    {
      ...{ kind: 'invalid', concerns: 'member', code: 'member.invalid', copy: keyIn(aClub('a')) },
      reason: expect.stringMatching(/^member \{"Part":"CLUB#a","Sort":"GAME#a"\}: Expected /),
    },
  ]);
  expect(search.lines()).toEqual(['invalid club-totals CLUB#a CLUB']);
});

test('a target with a member that is skipped is computed, and reported with the reason', async () => {
  const invalid = aGame('a', 'c', { HomeGoals: 'two' });
  const skipping = { ...clubTotals, invalid: 'skip' } as const;
  const search = new ModelSearch(
    [aClub('a', { ...right, Goals: 99 }), aGame('a', 'b'), invalid],
    league(skipping),
  );
  await search.run();
  expect(search.lines()).toEqual(['derived club-totals CLUB#a CLUB: Goals']);

  await search.propagations().repair(search.drift());
  const again = new ModelSearch(search.table.items(), league(skipping));
  await again.run();

  expect(again.table.read(keyIn(aClub('a')))).toEqual(aClub('a', right));
  expect(again.drift()).toMatchObject([
    {
      ...{ kind: 'invalid', concerns: 'member', code: 'member.invalid', copy: keyIn(aClub('a')) },
      reason: expect.stringMatching(/^member \{"Part":"CLUB#a","Sort":"GAME#c"\}: Expected /),
    },
  ]);
});

describe('classifyTarget', () => {
  function classified(target: Item, members: readonly Item[]) {
    const { port } = searchOver([target, ...members]);
    return classifyTarget(port, bound(clubTotals), keyed(target));
  }

  test('says what a target should have, without what its members do not add up to', async () => {
    const computed = item({ Games: 1, Goals: 2, Gate: 0, First: '2026-03-01', Last: '2026-03-01' });

    expect(await classified(aClub('a', right), [aGame('a', 'b')])).toStrictEqual({
      classification: { is: 'right' },
      computed,
    });
    expect(await classified(aClub('a'), [aGame('a', 'b')])).toMatchObject({
      classification: { is: 'drift', drift: { kind: 'derived' } },
      computed,
    });
  });

  test('reads all members, however many', async () => {
    const games = Array.from({ length: 501 }, (_, index) => aGame('a', `g${index}`));

    expect((await classified(aClub('a'), games)).computed).toMatchObject(item({ Games: 501 }));
  });

  test('takes a table that is not available for no invalid item', async () => {
    const { port } = searchOver([]);
    port.before = () => {
      throw new TransientError('table.throttled', 'busy');
    };

    await expect(classifyTarget(port, bound(clubTotals), keyed(aClub('a')))).rejects.toThrow('busy');
  });
});

test('a backfill computes every target, and no other item', async () => {
  const search = searchOver([aClub('a'), aClub('b'), aClub('c'), aGame('a', 'b')]);

  const outcome = await search.backfill(clubTotals);

  expect(outcome).toMatchObject({ propagations: 3, written: 3, leftAlone: [] });
  expect(search.table.read(keyIn(aClub('b')))).toMatchObject(item({ Games: 1, Goals: 1 }));
});

test.each([undefined, { shards: 1 }])(
  'members without their target are counted and named',
  async (ledger) => {
    const search = new ModelSearch(
      [aClub('a'), aGame('a', 'b'), aGame('a', 'c')],
      league({ ...clubTotals, ledger }),
    );
    const found: Targetless[] = [];
    const { rules } = await search.run({ onTargetless: (one) => found.push(one) });

    expect(rules['club-totals']).toMatchObject({ members: 4, targetless: 2 });
    expect(found.map(({ copy, root }) => `${copy.pk} ${root.pk}`).toSorted()).toEqual(
      ['b', 'c'].map((guest) => `${keyIn(aGame('a', guest)).pk} CLUB#${guest}`),
    );
  },
);
