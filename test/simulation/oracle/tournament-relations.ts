import type { Relation, Wanted } from '../../../src/develop/testing/simulation/oracle/relation.ts';
import type { TotalsRelation } from '../../../src/develop/testing/simulation/oracle/totals-relation.ts';
import type { Item } from '../../../src/model/item.ts';
import { pkOf, skOf, textOf } from './attributes.ts';

/** A rule that derives attributes of an item from the same item. */
function derived(
  rule: string,
  isIt: (item: Item) => boolean,
  names: readonly string[],
  values: (item: Item) => readonly (string | undefined)[] | undefined,
): Relation {
  return {
    rule,
    onDelete: 'keep',
    onExpire: 'keep',
    isRoot: (_, image) => isIt(image),
    isCopy: isIt,
    crosses: () => false,
    rootOf: (copy) => ({ pk: pkOf(copy), sk: skOf(copy) }),
    locations: () => true,
    wanted(root) {
      const found = values(root);
      return found && new Map(names.map((name, at) => [name, textValue(found[at])]));
    },
    writes: (attribute) => names.includes(attribute),
    concerns: () => true,
  };
}

function textValue(text: string | undefined) {
  return text === undefined ? undefined : { S: text };
}

/** Who has left has another type, under the same key. */
const isContender = (item: Item) =>
  pkOf(item).startsWith('CONTENDER#') && skOf(item) === 'metadata' && textOf(item, 'Type') === 'Contender';
const isBout = (item: Item) => pkOf(item).startsWith('CONTENDER#') && skOf(item).startsWith('VS#');
const isHouse = (item: Item) => pkOf(item).startsWith('HOUSE#');

export const tournamentRelations: readonly Relation[] = [
  derived('bout-keys', isBout, ['GSI1PK', 'GSI1SK'], (item) => [
    `CONTENDER#${textOf(item, 'Contender2')}`,
    `VS#${textOf(item, 'Contender1')}`,
  ]),
  derived('house-keys', isContender, ['GSI3PK', 'GSI3SK'], (item) => [
    `HOUSE#${textOf(item, 'House')}`,
    pkOf(item),
  ]),
  derived('leaderboard-keys', isContender, ['GSI2PK', 'GSI2SK'], (item) => {
    const score = item.Score;
    if (score === undefined) return [undefined, undefined];
    if (!('N' in score)) return undefined;
    return ['LEADERBOARD', `${String(1_000_000 + Number(score.N)).padStart(8, '0')}#${textOf(item, 'Name')}`];
  }),
];

/** Hundredths, so that sums are whole numbers. */
function hundredths(item: Item, name: string): bigint {
  const value = item[name];
  return value !== undefined && 'N' in value ? BigInt(Math.round(Number(value.N) * 100)) : 0n;
}

function numberOf(sum: bigint) {
  const sign = sum < 0n ? '-' : '';
  const digits = String(sum < 0n ? -sum : sum).padStart(3, '0');
  return { N: `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}` };
}

function total(items: readonly Item[], value: (item: Item) => bigint) {
  return numberOf(items.reduce((sum, item) => sum + value(item), 0n));
}

/** The bouts of a contender: where its records are, and where the index has them once it shows all. */
const contenderTotals: TotalsRelation = {
  rule: 'contender-totals',
  isTarget: isContender,
  wanted(target, items): Wanted {
    const me = pkOf(target).slice('CONTENDER#'.length);
    const mine = items.filter(
      (item) =>
        isBout(item) &&
        (textOf(item, 'Contender1') === me || textOf(item, 'Contender2') === me) &&
        (pkOf(item) === pkOf(target) || textOf(item, 'GSI1PK') === pkOf(target)),
    );
    const first = (item: Item) => textOf(item, 'Contender1') === me;
    const wins = (item: Item) => hundredths(item, first(item) ? 'Contender1Wins' : 'Contender2Wins');
    const losses = (item: Item) => hundredths(item, first(item) ? 'Contender2Wins' : 'Contender1Wins');
    return new Map<string, Item[string] | undefined>([
      ['Wins', total(mine, wins)],
      ['Losses', total(mine, losses)],
      [
        'Score',
        total(mine, (item) => {
          const difference = hundredths(item, 'Contender1Wins') - hundredths(item, 'Contender2Wins');
          return first(item) ? difference : -difference;
        }),
      ],
    ]);
  },
  writes: (attribute) => ['Wins', 'Losses', 'Score'].includes(attribute),
};

/** The bouts in a contender's own partition that are still its own, if they are no more than the limit. */
const boutTotals = (limit: number): TotalsRelation => ({
  rule: 'bout-totals',
  isTarget: isContender,
  wanted(target, items): Wanted | undefined {
    const own = items.filter(
      (item) =>
        isBout(item) &&
        pkOf(item) === pkOf(target) &&
        `CONTENDER#${textOf(item, 'Contender1')}` === pkOf(target),
    );
    if (own.length > limit) return undefined;
    const from = textOf(target, 'From') ?? '';
    const last = own
      .map((item) => textOf(item, 'At') ?? '')
      .toSorted()
      .at(-1);
    return new Map<string, Item[string] | undefined>([
      ['Bouts', { N: String(own.length) }],
      ['Stakes', total(own, (item) => hundredths(item, 'Stake'))],
      ['LastAt', textValue(last)],
      ['Recent', { N: String(own.filter((item) => (textOf(item, 'At') ?? '') >= from).length) }],
    ]);
  },
  writes: (attribute) => ['Bouts', 'Stakes', 'LastAt', 'Recent'].includes(attribute),
});

const houseTotals: TotalsRelation = {
  rule: 'house-totals',
  isTarget: isHouse,
  wanted(target, items): Wanted {
    const mine = items.filter(
      (item) => isContender(item) && `HOUSE#${textOf(item, 'House')}` === pkOf(target),
    );
    const scores = mine.flatMap((item) => (item.Score === undefined ? [] : [hundredths(item, 'Score')]));
    const best = scores.toSorted((a, b) => (a < b ? -1 : 1)).at(-1);
    return new Map([
      ['Contenders', { N: String(mine.length) }],
      ['Score', total(mine, (item) => hundredths(item, 'Score'))],
      ['Best', best === undefined ? undefined : numberOf(best)],
    ]);
  },
  writes: (attribute) => ['Contenders', 'Score', 'Best'].includes(attribute),
};

/** @param limit the most bouts in the partition of a contender */
export function tournamentTotals(limit: number): readonly TotalsRelation[] {
  return [contenderTotals, boutTotals(limit), houseTotals];
}
