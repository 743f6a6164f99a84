import { describeAggregate } from 'stream-denormalizer/testing';
import config from '../fixtures/likes/denorm.config.ts';

const like = (id: number, Weight: number) => ({
  ...{ PK: `LIKE#${id}`, SK: 'LIKE', Type: 'Like', Post: 'a', Weight },
});

/** An aggregate with a ledger keeps the promises of one that is recomputed. */
describeAggregate(config, 'likes-of-post', {
  target: { PK: 'POST#a', SK: 'POST', Type: 'Post', Title: 'x' },
  members: [like(1, 2), like(2, 4)],
  expected: { Likes: 2, Weight: 6, Mean: 3 },
  change: { Weight: 7 },
  others: [{ ...like(3, 1), Post: 'b' }],
});
