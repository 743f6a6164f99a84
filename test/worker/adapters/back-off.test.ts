import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type BackOff, pause, retryWhile, untilNoneLeft } from '../../../src/worker/adapters/back-off.ts';

vi.mock(import('node:timers/promises'), { spy: true });

const quick: BackOff = { attempts: 4, firstDelay: 1, maxDelay: 1 };
const passing = new Error('passing');

describe('retryWhile', () => {
  test('returns the first result', async () => {
    const work = vi
      .fn(async () => 'done')
      .mockRejectedValueOnce(passing)
      .mockRejectedValueOnce(passing);

    expect(await retryWhile(() => true, quick, work)).toBe('done');
    expect(work).toHaveBeenCalledTimes(3);
  });

  test('throws the last error after as many attempts as configured', async () => {
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      throw new Error(`attempt ${attempts}`);
    };

    await expect(retryWhile(() => true, quick, work)).rejects.toThrow('attempt 4');
    expect(attempts).toBe(4);
  });

  test('throws an error that does not pass at once', async () => {
    const work = vi.fn(() => Promise.reject(passing));

    await expect(retryWhile((error) => error !== passing, quick, work)).rejects.toBe(passing);
    expect(work).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['before it waits', (abort: () => void) => abort()],
    ['while it waits', (abort: () => void) => setImmediate(abort)],
  ])('neither waits nor retries after its signal is aborted %s', async (_, plan) => {
    const controller = new AbortController();
    const work = vi.fn(() => Promise.reject(passing));
    const forever = { attempts: 9, firstDelay: 2 ** 30, maxDelay: 2 ** 30, signal: controller.signal };
    const retried = retryWhile(() => true, forever, work);
    plan(() => controller.abort());

    await expect(retried).rejects.toBe(passing);
    await expect(retryWhile(() => true, forever, work)).rejects.toBe(passing);
    expect(work).toHaveBeenCalledTimes(2);
  });
});

describe('untilNoneLeft', () => {
  test.each([
    ['counts only attempts without progress', 5, [5, 5, 5, 4, 4, 4, 4, 3, 0], 0, 9],
    ['returns what is left after as many attempts without progress as configured', 3, [2], 2, 5],
  ])('%s', async (_, size, lefts, left, attempts) => {
    const [last = 0] = lefts.slice(-1);
    const attempt = vi.fn(async () => lefts.shift() ?? last);

    expect(await untilNoneLeft(quick, size, attempt)).toBe(left);
    expect(attempt).toHaveBeenCalledTimes(attempts);
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
