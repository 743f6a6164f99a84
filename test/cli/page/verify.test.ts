import { expect, test } from 'vitest';
import { verify } from '../../../src/cli/page/verify.ts';
import { aClub, aGame, league } from '../../fixtures/league/league.ts';
import { ModelSearch } from '../../worker/verify/search.ts';

test('the page compares the totals of aggregates too', async () => {
  const items = [aClub('a', { Goals: 99 }), aClub('b'), aGame('a', 'b')];
  const { registry, port, scan } = new ModelSearch(items, league());
  const { copies, drift } = await verify(registry, port, scan);

  expect(copies).toBe(2);
  expect(drift.map(({ rule, copy, what }) => [rule, copy.pk, what])).toEqual([
    ['club-totals', 'CLUB#a', expect.stringContaining('Goals')],
    ['club-totals', 'CLUB#b', expect.stringContaining('Goals')],
  ]);
});
