import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type BackOff, pause, retryWhile } from '../../../src/worker/adapters/back-off.ts';

vi.mock(import('node:timers/promises'), { spy: true });

describe('retryWhile', () => {
  test.each([
    ['before it waits', (abort: () => void) => abort()],
    ['while it waits', (abort: () => void) => setImmediate(abort)],
  ])('neither waits nor retries after its signal is aborted %s', async (_, plan) => {
    const controller = new AbortController();
    const passing = new Error('passing');
    const work = vi.fn(() => Promise.reject(passing));
    const forever = { attempts: 9, firstDelay: 2 ** 30, maxDelay: 2 ** 30, signal: controller.signal };
    const retried = retryWhile(() => true, forever, work);
    plan(() => controller.abort());

    await expect(retried).rejects.toBe(passing);
    await expect(retryWhile(() => true, forever, work)).rejects.toBe(passing);
    expect(work).toHaveBeenCalledTimes(2);
  });
});

describe('a pause', () => {
  afterEach(() => vi.restoreAllMocks());
  const backOff: BackOff = { attempts: 9, firstDelay: 2, maxDelay: 20 };

  test.each([
    [1, 0.5, 1],
    [2, 0.5, 2],
    [4, 0.25, 4],
    [5, 0.5, 10],
    [9, 0, 0],
  ])(
    'after %i attempts takes a random part, %d, of a delay that doubles up to its maximum',
    async (made, part, milliseconds) => {
      vi.spyOn(Math, 'random').mockReturnValue(part);
      await pause(backOff, made);

      expect(vi.mocked(setTimeout).mock.lastCall?.[0]).toBe(milliseconds);
    },
  );
});
