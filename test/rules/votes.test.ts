import { describeAggregate, describeRule } from 'stream-denormalizer/testing';
import config from '../../denorm.config.ts';
import { GSI1, GSI2, table } from '../../src/table.ts';

const { pk, sk, type } = table;

const bear = {
  ...{ [pk]: 'CONTENDER#bear', [sk]: 'metadata', [type]: 'Contender' },
  ...{ Name: 'bear', SVG: '<svg/>' },
};

function headToHead(one: string, other: string, wins: number, losses: number) {
  return {
    ...{ [pk]: `CONTENDER#${one}`, [sk]: `VS#${other}`, [type]: 'HeadToHead' },
    ...{ Contender1: one, Contender2: other, Contender1Wins: wins, Contender2Wins: losses },
    ...{ [GSI1.pk]: `CONTENDER#${other}`, [GSI1.sk]: `VS#${one}` },
  };
}

describeAggregate(config, 'contender-totals', {
  target: bear,
  members: [headToHead('bear', 'books', 12, 2), headToHead('c3po', 'bear', 7, 5)],
  expected: { Wins: 17, Losses: 9, Score: 8 },
  change: { Contender1Wins: 0 },
  others: [headToHead('books', 'c3po', 7, 5)],
});

describeRule(config, 'head-to-head-keys', {
  root: headToHead('books', 'c3po', 7, 5),
  change: { Contender2: 'bear' },
  expected: { [GSI1.pk]: 'CONTENDER#bear', [GSI1.sk]: 'VS#books' },
  unconcerned: { Contender1Wins: 8 },
  invalid: { Contender2: 7 },
});

describeRule(config, 'leaderboard-keys', {
  root: { ...bear, Score: 8, [GSI2.pk]: 'LEADERBOARD', [GSI2.sk]: '1000000000008#bear' },
  change: { Score: -3 },
  expected: { [GSI2.pk]: 'LEADERBOARD', [GSI2.sk]: '0999999999997#bear' },
  unconcerned: { SVG: '<svg></svg>' },
  invalid: { Score: 'eight' },
});
