import { expect, test } from 'vitest';
import { driftKinds, isRepairable } from '../../../src/worker/verify/drift.ts';

test('a propagation can repair drift, except for orphans, copies of another root, and invalid items', () => {
  expect(driftKinds.filter((kind) => isRepairable({ kind }))).toEqual([
    'differs',
    'derived',
    'missing',
    'excluded',
    'unlisted',
  ]);
});
