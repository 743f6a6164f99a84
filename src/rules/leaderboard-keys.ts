import { defineRule } from 'stream-denormalizer';
import { GSI2 } from '../table.ts';
import { contender } from './vote-items.ts';

/** Makes every score positive, so that text sorts as numbers do: from -1,000,000,000,000 up to as much. */
const offset = 1_000_000_000_000;

/**
 * Lists contenders in one partition of GSI2 by the score that is computed for them. A query from the end gives the
 * leaderboard, best first; contenders of one score are sorted by name, in the order of the query.
 */
export const leaderboardKeys = defineRule({
  name: 'leaderboard-keys',
  root: contender,
  copy: contender,
  reads: { root: ['Name', 'Score'] },
  located: { in: 'itself' },
  derive: {
    [GSI2.pk]: ({ root }) => (root.Score === undefined ? undefined : 'LEADERBOARD'),
    [GSI2.sk]: ({ root }) =>
      root.Score === undefined ? undefined : `${String(root.Score + offset).padStart(13, '0')}#${root.Name}`,
  },
  onDelete: 'keep',
  onExpire: 'keep',
});
