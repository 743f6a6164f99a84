import { expect, test } from 'vitest';
import { selected } from '../../../src/cli/dlq/lines.ts';
import { clubTotals, league } from '../../fixtures/league/league.ts';

test('a rule or an aggregate without dead letters selects none, and another name is refused', async () => {
  expect(await selected([], { rule: clubTotals.name }, league())).toEqual([]);
  await expect(selected([], { rule: 'club-total' }, league())).rejects.toMatchObject({
    code: 'usage.rule',
    message: expect.stringContaining('or one of club-totals, got'),
  });
});
