import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/model/items/item.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { list, value } from '../../src/model/rules/reducers.ts';
import { OutermostMembers } from '../../src/plan/outermost-members.ts';
import { Totals } from '../../src/plan/totals.ts';
import { bound } from '../fixtures/model/bound.ts';
import { ByOwner } from '../fixtures/model/table.ts';
import { aContender, aMatch, contender, contenderTotals } from '../fixtures/world/totals.ts';
import { refusal } from '../suites/refusal.ts';

const at: Aggregate['members'][number]['at'] = ({ ids }) => ({ pk: contender.pk(ids), begins: '' });

/** The rivals of `a`, from an end. */
function rivals(members: Aggregate['members'][number], more: Partial<Aggregate> = {}): Aggregate {
  const computes = { Longest: list('Rival'), Last: value('Votes') };
  return { ...contenderTotals, members: [members], computes, ...more };
}

const inPartition = (end: { last: number } | { first: number }, more?: Partial<Aggregate>) =>
  rivals({ in: 'partition', at, ...end }, more);
const inIndex = (end: { last: number } | { first: number }, more?: Partial<Aggregate>) =>
  rivals({ in: 'index', index: ByOwner, at, ...end }, more);

/** What pages of items give, and after how many of them there are enough members. */
function found(aggregate: Aggregate, ...pages: readonly (readonly Item[])[]) {
  const totals = new Totals(bound(aggregate), aContender('a'));
  const end = OutermostMembers.of(totals) ?? expect.fail('Expected an end');
  const enough = pages.findIndex((page) => {
    end.look(page);
    return end.isComplete;
  });
  end.add();
  const { L = [] } = { L: [], ...totals.on().get('Longest') };
  return [L.map((one) => Object.values(one)[0]).join(''), enough + 1, totals.skipped.members];
}

const home = (rival: string, more = {}) => aMatch('a', rival, more);
/** A match that the index of `a` shows at a place. */
const away = (rival: string, place: string, more = {}) =>
  aMatch(rival, 'a', { OwnerSort: place, Referee: rival, ...more });

describe('the members at an end of a partition', () => {
  const [b, c, d] = [home('b'), home('c'), home('d')];
  const other = { ...home('e'), Kind: { S: 'Note' } };

  test.each([
    ['the last one', { last: 1 }, [[d]], ['d', 1, 0]],
    ['the last two, outermost first', { last: 2 }, [[d, c]], ['dc', 1, 0]],
    ['the first two', { first: 2 }, [[b, c]], ['bc', 1, 0]],
    ['fewer, if there are no more', { last: 9 }, [[d, c, b]], ['dcb', 0, 0]],
    ['another for an item of another kind', { last: 1 }, [[other], [d]], ['d', 2, 0]],
    ['none', { last: 1 }, [[other]], ['', 0, 0]],
    ['those of a page, whatever its order', { last: 2 }, [[b, d, c]], ['dc', 1, 0]],
  ] as const)('are %s', (_, end, pages, expected) => {
    expect(found(inPartition(end), ...pages)).toEqual(expected);
  });

  test('take the attributes of the outermost member alone, also if it has none', () => {
    const totals = new Totals(bound(inPartition({ last: 2 })), aContender('a'));
    const end = OutermostMembers.of(totals);
    end?.look([home('d'), home('c', { Votes: 3 })]);
    end?.add();

    expect(totals.on().get('Last')).toBeUndefined();
  });

  const invalid = home('e', { Votes: 'many' });

  test('pass over an invalid member that is skipped, and look at none behind the last place', () => {
    const skipping = inPartition({ last: 2 }, { invalid: 'skip' });
    const behind = home('a', { Votes: 'none' });

    expect(found(skipping, [invalid, d, c, behind])).toEqual(['dc', 1, 1]);
  });

  test('are refused if one of them is invalid, and not because of one behind them', () => {
    expect(refusal(() => found(inPartition({ last: 2 }), [invalid, d]))).toMatchObject({
      code: 'member.invalid',
    });
    expect(found(inPartition({ first: 2 }), [b, c, invalid])).toEqual(['bc', 1, 0]);
  });

  test('are refused behind more items than the limit, members or not', () => {
    const aggregate = inPartition({ last: 1 }, { limit: 2 });
    const others = ['g', 'f', 'e'].map((rival) => ({ ...home(rival), Kind: { S: 'Note' } }));

    expect(found(aggregate, [...others.slice(1), d].slice(1))).toEqual(['d', 1, 0]);
    expect(refusal(() => found(aggregate, others))).toMatchObject({
      code: 'target.too-many-members',
      message: expect.stringMatching(/^Rule contender-totals reads at most 2 items to find the members at/),
    });
  });
});

describe('the members at an end of an index', () => {
  const rivalsAre = (aggregate: Aggregate): Aggregate => ({
    ...{ ...aggregate, computes: { Longest: list('Referee') } },
    reads: { member: ['Rival', 'Referee'], target: [] },
  });
  const [b, c, d] = [away('b', '5'), away('c', '5'), away('d', '5')];

  test('are complete only once an item comes after them', () => {
    expect(found(rivalsAre(inIndex({ last: 1 })), [away('e', '7')], [d])).toEqual(['e', 2, 0]);
  });

  test.each([
    ['last', 'dc'],
    ['first', 'bc'],
  ])('are in the order of their own keys, if sort keys are equal: the %s two', (end, expected) => {
    const aggregate = rivalsAre(inIndex(end === 'last' ? { last: 2 } : { first: 2 }));

    expect(found(aggregate, [c, d], [b])).toEqual([expected, 0, 0]);
    expect(found(aggregate, [b, c], [d])).toEqual([expected, 0, 0]);
  });

  test('are not complete because of an item that has moved away', () => {
    const moved = { ...away('g', '0'), OwnerPart: { S: 'CONTENDER#z' } };

    expect(found(rivalsAre(inIndex({ last: 1 })), [b, moved], [d])).toEqual(['d', 0, 0]);
  });

  test('are sorted by what the items are now, and left out where they have moved away', () => {
    const moved = { ...away('g', '9'), OwnerPart: { S: 'CONTENDER#z' } };

    expect(found(rivalsAre(inIndex({ last: 2 })), [moved, b, away('e', '6')], [away('f', '1')])).toEqual([
      'eb',
      2,
      0,
    ]);
  });
});

test('attributes that nothing reads are not held', () => {
  const totals = new Totals(bound(inPartition({ last: 1 })), aContender('a'));
  const added: Item[] = [];
  totals.add = (item) => void added.push(item);
  const end = OutermostMembers.of(totals);
  end?.look([home('b', { Referee: 'long' })]);
  end?.add();

  expect(added).toMatchObject([{ Rival: { S: 'b' }, Sort: { S: 'MATCH#b' } }]);
  expect(added[0]).not.toHaveProperty('Referee');
});
