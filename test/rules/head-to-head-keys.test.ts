import { describeRule } from 'stream-denormalizer/testing';
import config from '../../denorm.config.ts';
import { aHeadToHead } from '../fixtures/rules/votes.ts';

describeRule(config, 'head-to-head-keys', {
  root: aHeadToHead('books', 'c3po', 7, 5),
  change: { Contender2: 'bear' },
  expected: { GSI1PK: 'CONTENDER#bear', GSI1SK: 'VS#books' },
  unconcerned: { Contender1Wins: 8 },
  invalid: { Contender2: undefined },
});
