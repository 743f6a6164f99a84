import { type Act, type Acts, put, text } from '../../../src/develop/testing/simulation/scene.ts';

/** A token that expires, of no kind that is archived. */
const issue: Act = (scene) => [
  put({
    PK: text('voter-1'),
    SK: text(`token-${scene.random.int(1, 3)}`),
    matchup: text('bear§books'),
    ExpiresAt: scene.expiry(),
  }),
];

const score: Act = (scene) => [
  put({
    PK: text('bear'),
    SK: text('metadata'),
    Score: scene.freshNumber(),
    Leaderboard: text('leaderboard'),
  }),
];

export const voteActs: Acts = [
  [2, issue],
  [1, score],
];
