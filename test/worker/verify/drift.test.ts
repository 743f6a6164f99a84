import { expect, test } from 'vitest';
import { driftKinds, isRepairable, isRepairableKind } from '../../../src/worker/verify/drift.ts';

test('a propagation can repair drift but orphans, foreign and invalid items', () => {
  expect(driftKinds.filter(isRepairableKind)).toEqual([
    'differs',
    'derived',
    'missing',
    'empty',
    'excluded',
    'unlisted',
  ]);
  const drift = {
    kind: 'differs',
    rule: 'a',
    copy: { pk: 'p', sk: 's' },
    attributes: [],
    unmapped: [],
  } as const;
  expect([drift, { ...drift, root: drift.copy }].map(isRepairable)).toEqual([false, true]);
});
