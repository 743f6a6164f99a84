import { describe, expect, test } from 'vitest';
import type { Aggregate } from '../../../src/model/aggregate.ts';
import { type Item, keyIn } from '../../../src/model/item.ts';
import { whyComputed } from '../../../src/operate/reasons/computation-reasons.ts';
import { aSailor } from '../../fixtures/cruises/cruise-items.ts';
import { aClub, aGame, clubTotals, league } from '../../fixtures/league/league.ts';
import { table } from '../../fixtures/model/table.ts';

/** The reasons for a change, each in a few words. */
function reasons(before: Item | undefined, after: Item | undefined, aggregate?: Aggregate): string[] {
  return whys(before, after, aggregate).map(({ as, because, attributes, targets }) => {
    const names = attributes.length === 0 ? '' : ` in ${attributes.join(', ')}`;
    return `${as ?? 'nothing'} ${because}${names}: ${targets.map(({ pk }) => pk).join(', ') || 'none'}`;
  });
}

function whys(before: Item | undefined, after: Item | undefined, aggregate: Aggregate = clubTotals) {
  const key = keyIn(table, after ?? before ?? {});
  const change = { key, before, after, sequence: 1n, expired: false, at: undefined };
  return whyComputed(league(aggregate), change);
}

const game = aGame('a', 'b');
const club = aClub('a', { Games: 1 });

describe('a member', () => {
  test.each<[string, Item | undefined, Item | undefined, string]>([
    ['is new', undefined, game, 'member new: CLUB#a, CLUB#b'],
    [
      'differs in what is read, and in where it is',
      game,
      aGame('a', 'b', { HomeGoals: 3, Gate: 1, OwnerSort: 'AWAY#x', Referee: 'S' }),
      'member differs in HomeGoals, OwnerSort, Gate: CLUB#a, CLUB#b',
    ],
    ['is the same', game, aGame('a', 'b', { Referee: 'S' }), 'member same: none'],
    ['is removed', game, undefined, 'member removed: CLUB#a, CLUB#b'],
    [
      'says of itself that it is another kind',
      game,
      aGame('a', 'b', { Kind: 'Training' }),
      'member left-kind: CLUB#a, CLUB#b',
    ],
  ])('%s', (_, before, after, why) => {
    expect(reasons(before, after)).toEqual([why]);
  });

  test('on which targetsOf fails is invalid, and the fault is told without content', () => {
    const failing = {
      ...clubTotals,
      targetsOf: () => {
        throw new TypeError('a secret');
      },
    };

    expect(reasons(undefined, game, failing)).toEqual(['member invalid: none']);
    expect(whys(undefined, game, failing)[0]?.fault).toBe(
      'rule.threw: Function targetsOf of rule club-totals threw TypeError on this item: correct it, or make the schema reject what it cannot use',
    );
    expect(whys(undefined, game)[0]).not.toHaveProperty('fault');
  });
});

describe('a target', () => {
  test.each<[string, Item | undefined, Item | undefined, string]>([
    ['is new', undefined, club, 'target new: CLUB#a'],
    [
      'differs in what is computed',
      club,
      aClub('a', { Games: 2, Name: 'x' }),
      'target differs in Games: CLUB#a',
    ],
    ['is the same', club, aClub('a', { Games: 1, Name: 'x' }), 'target same: none'],
    ['is removed', club, undefined, 'target removed: none'],
    [
      'says of itself that it is another kind',
      club,
      aClub('a', { Games: 1, Kind: 'Pub' }),
      'target left-kind: none',
    ],
  ])('%s', (_, before, after, why) => {
    expect(reasons(before, after)).toEqual([why]);
  });

  test('that is a member as well has a reason for each, and a fault concerns the member only', () => {
    const unions: Aggregate = { ...clubTotals, of: clubTotals.on, reads: { member: [], target: [] } };
    const failing = { ...unions, targetsOf: () => 7 as never };
    const joined = { ...unions, targetsOf: () => [{ pk: 'CLUB#z', sk: 'CLUB' }] };

    expect(reasons(undefined, club, joined)).toEqual(['member new: CLUB#z', 'target new: CLUB#a']);
    expect(reasons(undefined, club, failing)).toEqual(['member invalid: none', 'target new: CLUB#a']);
  });
});

test('an item of other kinds does not concern an aggregate', () => {
  expect(reasons(undefined, aSailor())).toEqual(['nothing unconcerned: none']);
});
