import type { Item } from '../../src/model/item.ts';
import { item } from '../fixtures/model/items.ts';
import { each, type MakeScene } from './scene.ts';

/** Wins of the first contender and of the second. */
type Wins = readonly [number, number];

const me = 'ann';
const meKey = { pk: `CONTENDER#${me}`, sk: 'metadata' };

/** A contender as the worker leaves it. */
function contender(name: string, wins = 0, losses = 0): Item {
  const score = wins - losses;
  const board = { GSI2PK: 'LEADERBOARD', GSI2SK: `${String(score + 1e12).padStart(13, '0')}#${name}` };
  return { ...newcomer(name), ...item({ Wins: wins, Losses: losses, Score: score, ...board }) };
}

/** A contender as the application writes it. */
function newcomer(name: string): Item {
  return item({ PK: `CONTENDER#${name}`, SK: 'metadata', Type: 'Contender', Name: name, SVG: '<svg/>' });
}

/** A head-to-head in the partition of its first contender, without the keys that are derived. */
function written(first: string, second: string, [wins, losses]: Wins): Item {
  const said = { Contender1: first, Contender2: second, Contender1Wins: wins, Contender2Wins: losses };
  return item({ PK: `CONTENDER#${first}`, SK: `VS#${second}`, Type: 'HeadToHead', ...said });
}

function record(first: string, second: string, wins: Wins): Item {
  return {
    ...written(first, second, wins),
    ...item({ GSI1PK: `CONTENDER#${second}`, GSI1SK: `VS#${first}` }),
  };
}

/** Every other one is in the partition of the other contender, so that an index finds it. */
const against = (index: number): readonly [string, string] =>
  index % 2 === 0 ? [me, `rival-${index}`] : [`rival-${index}`, me];

const before = (index: number): Wins => [index % 5, 1];
const after = (index: number): Wins => [index % 5, 3];

function totals(copies: number, wins: (index: number) => Wins): readonly [number, number] {
  return each(copies, (index) => {
    const [first, second] = wins(index);
    return index % 2 === 0 ? ([first, second] as const) : ([second, first] as const);
  }).reduce(([won, lost], [first, second]) => [won + first, lost + second], [0, 0]);
}

const standing = (copies: number, wins: (index: number) => Wins) => contender(me, ...totals(copies, wins));
const records = (copies: number, wins: (index: number) => Wins) =>
  each(copies, (index) => record(...against(index), wins(index)));
const keyOfRecord = (index: number) => {
  const [first, second] = against(index);
  return { pk: `CONTENDER#${first}`, sk: `VS#${second}` };
};

export const totalsScenes: Readonly<Record<string, MakeScene>> = {
  'head-to-heads are written': (copies) => ({
    before: [contender(me)],
    change: (table) => each(copies, (index) => table.put(written(...against(index), before(index)))),
    after: [standing(copies, before), ...records(copies, before)],
  }),
  'votes come in': (copies) => ({
    before: [standing(copies, before), ...records(copies, before)],
    change: (table) =>
      each(copies, (index) => table.update(keyOfRecord(index), { set: { Contender2Wins: { N: '3' } } })),
    after: [standing(copies, after), ...records(copies, after)],
  }),
  'a contender joins after its head-to-heads': (copies) => ({
    before: records(copies, before),
    change: (table) => table.put(newcomer(me)),
    after: [standing(copies, before), ...records(copies, before)],
  }),
  'head-to-heads are deleted, and totals are overwritten by hand': (copies) => ({
    before: [standing(copies, before), ...records(copies, before)],
    change(table) {
      each(copies, (index) => table.delete(keyOfRecord(index)));
      table.update(meKey, { set: { Wins: { N: '7' } } });
    },
    after: [contender(me)],
  }),
  'head-to-heads go over to another contender': (copies) => ({
    before: [
      contender(me, copies * 2, copies),
      contender('bob'),
      ...each(copies, (index) => record(`rival-${index}`, me, [1, 2])),
    ],
    change: (table) =>
      each(copies, (index) =>
        table.update(
          { pk: `CONTENDER#rival-${index}`, sk: `VS#${me}` },
          { set: { Contender2: { S: 'bob' } } },
        ),
      ),
    after: [
      contender(me),
      contender('bob', copies * 2, copies),
      ...each(copies, (index) => ({
        ...record(`rival-${index}`, me, [1, 2]),
        ...item({ Contender2: 'bob', GSI1PK: 'CONTENDER#bob' }),
      })),
    ],
  }),
  'head-to-heads are deleted with their contender': (copies) => ({
    before: [standing(copies, before), ...records(copies, before)],
    change(table) {
      each(copies, (index) => table.delete(keyOfRecord(index)));
      table.delete(meKey);
    },
    after: [],
  }),
};
