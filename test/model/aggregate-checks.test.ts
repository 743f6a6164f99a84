import { describe, expect, test } from 'vitest';
import type { Aggregate } from '../../src/model/aggregate.ts';
import { defineRule } from '../../src/model/define-rule.ts';
import { count } from '../../src/model/reducers.ts';
import { makeRegistry } from '../../src/model/registry.ts';
import type { Rule } from '../../src/model/rule.ts';
import { club, clubTotals, game } from '../fixtures/league/league.ts';
import { table } from '../fixtures/model/table.ts';
import { refusal } from '../suites/refusal.ts';

function refused(aggregates: readonly Aggregate[], rules: readonly Rule[] = []) {
  return refusal(() => makeRegistry(table, rules, [], [], aggregates));
}

const keyFromGoals = defineRule({
  name: 'club-keys',
  root: club,
  copy: club,
  located: { in: 'itself' },
  reads: { root: ['Name'] },
  derive: { Goals: ({ root }) => root.Name.length },
  onDelete: 'keep',
  onExpire: 'keep',
});

describe('aggregates', () => {
  test.each([
    ['rule.writes-key', 'Part'],
    ['rule.writes-key', 'OwnerSort'],
    ['rule.writes-expiry', 'EndsAt'],
  ])('are refused with %s if they compute %s', (code, attribute) => {
    expect(refused([{ ...clubTotals, computes: { [attribute]: count() } }])).toMatchObject({ code });
  });

  test('own what they compute', () => {
    expect(refused([clubTotals, { ...clubTotals, name: 'others' }])).toMatchObject({
      code: 'rule.owned-twice',
      message: "Rule club-totals and rule others both write 'Games' of Club: remove it from one of them",
    });
    expect(refused([clubTotals], [keyFromGoals])).toMatchObject({
      code: 'rule.owned-twice',
      message: expect.stringMatching(/: remove it from one of them$/),
    });
  });

  test('find members in an index of the table', () => {
    const at = () => ({ pk: 'x' });
    const unknown = { in: 'index', index: { name: 'ByGuest', pk: 'a', sk: 'b' }, at } as const;
    const other = { in: 'index', index: { name: 'ByOwner', pk: 'a', sk: 'b' }, at } as const;

    expect(refused([{ ...clubTotals, members: [unknown] }])).toMatchObject({ code: 'rule.no-index' });
    expect(refused([{ ...clubTotals, members: [other] }])).toMatchObject({ code: 'rule.no-index' });
  });

  test('may not depend on themselves, through rules and other aggregates either', () => {
    const goalsOfGames = defineRule({
      name: 'goals-on-games',
      root: club,
      copy: game,
      reads: { root: ['Goals'] },
      located: { in: 'partition', at: ({ ids }) => ({ pk: club.pk(ids) }) },
      rootOf: ({ ids }) => club.key({ club: ids.home }),
      derive: { Gate: ({ root }) => root.Goals },
      onDelete: 'keep',
      onExpire: 'keep',
    });
    const guestKeys = { ...goalsOfGames, derive: { OwnerPart: () => '' } };

    expect(refused([clubTotals], [goalsOfGames])).toMatchObject({ code: 'rule.cyclic' });
    expect(refused([clubTotals], [guestKeys])).toMatchObject({ code: 'rule.cyclic' });
    expect(refused([{ ...clubTotals, reads: { ...clubTotals.reads, target: ['Goals'] } }])).toMatchObject({
      code: 'rule.cyclic',
    });
  });
});
