import { expect, test } from 'vitest';
import { propagationLine } from '../../../src/cli/output/lines.ts';

test('the line of a propagation that is tried again has the code of why', () => {
  const report = {
    ...{ rule: 'newest', root: { pk: 'A', sk: 'B' }, cause: 'changed' as const, recheck: false },
    ...{ written: 0, removed: 0, unchanged: 0, lost: 0, orphans: 0, foreign: 0, deadLettered: 0 },
    ...{ requeued: 1, requeuedFor: 'member.invalid', narrowed: 0, skipped: 0, absent: 0 },
    ...{ pace: undefined, changedAt: undefined },
  };

  expect(propagationLine({ pk: 'PK', sk: 'SK' }, report, 7)).toContain(
    '  0 written, 1 requeued for member.invalid  ',
  );
});
