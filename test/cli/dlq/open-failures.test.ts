import { expect, test } from 'vitest';
import { lookAtAll } from '../../../src/cli/dlq/open-failures.ts';
import { type FoundDeadLetter, withFailedBatches } from '../../../src/operate/dead-letters/dead-letters.ts';

test('a look that is stopped takes the batches that it has found, unread', async () => {
  let isStopped = false;
  const batches = {
    ...{ name: 's3://a', owner: undefined, remove: async () => {} },
    async *keys() {
      yield 'one';
      isStopped = true;
    },
    read: () => expect.fail('it was read'),
  };
  const found: FoundDeadLetter[] = [];
  const reader = withFailedBatches(undefined, [batches]);
  const looked = await lookAtAll(reader, { stop: () => isStopped }, (one) => void found.push(one));

  expect(found).toMatchObject([{ id: 'one', code: 'batch.given-up' }]);
  expect(looked).toEqual({ unseen: 0, isWhole: false });
});
