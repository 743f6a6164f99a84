import { expect, test } from 'vitest';
import { allSettledOrThrow } from '../../../src/model/basics/all-settled-or-throw.ts';

test('the first error is thrown only after every promise has settled', async () => {
  const slow = Promise.withResolvers<void>();
  let isOver = false;
  const all = allSettledOrThrow([
    Promise.reject(new Error('first')),
    slow.promise.then(() => {
      isOver = true;
    }),
    Promise.reject(new Error('second')),
  ]);
  setTimeout(slow.resolve, 1);

  await expect(all).rejects.toThrow('first');
  expect(isOver).toBe(true);
});
