import { describe, expect, test, vi } from 'vitest';
import { FatalError, TransientError } from '../../src/model/basics/errors.ts';
import { systemClock } from '../../src/worker/adapters/system-clock.ts';
import { type BackOff, maxOutageMs, retry, retryingOutages, untilNoneLeft } from '../../src/worker/retry.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const passing = new Error('passing');

/** Four attempts, and how long was waited between them if each wait is this part of its delay. */
function quick(jitter?: () => number) {
  const waits: number[] = [];
  const clock = { now: () => 0, sleep: async (milliseconds: number) => void waits.push(milliseconds) };
  const backOff = { clock, attempts: 4, firstDelayMs: 2, maxDelayMs: 5, ...(jitter && { jitter }) };
  return { waits, options: { ...backOff, isRetried: () => true } };
}

describe('a retry', () => {
  test('returns the first result', async () => {
    const work = vi.fn(async () => 'done').mockRejectedValueOnce(passing);

    expect(await retry(quick().options, work)).toBe('done');
    expect(work).toHaveBeenCalledTimes(2);
  });

  test('throws the last error after as many attempts as configured', async () => {
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      throw new Error(`attempt ${attempts}`);
    };

    await expect(retry(quick().options, work)).rejects.toThrow('attempt 4');
    expect(attempts).toBe(4);
  });

  test('throws an error that is not retried at once, and is asked with the attempt', async () => {
    const work = vi.fn(() => Promise.reject(passing));
    const isRetried = vi.fn((error: unknown, attempt: number) => error === passing && attempt < 2);

    await expect(retry({ ...quick().options, isRetried }, work)).rejects.toBe(passing);
    expect(work).toHaveBeenCalledTimes(2);
  });

  test('calls before each wait, and ends if that throws', async () => {
    const work = vi.fn(() => Promise.reject(passing));
    const ended = new Error('ended');
    const onRetry = vi.fn().mockReturnValueOnce(undefined).mockThrowOnce(ended);
    const { waits, options } = quick();

    await expect(retry({ ...options, onRetry }, work)).rejects.toBe(ended);
    expect([work, onRetry].map(({ mock }) => mock.calls.length)).toEqual([2, 2]);
    expect(waits).toHaveLength(1);
  });

  test('waits a part of a delay that doubles up to its maximum', async () => {
    const { waits, options } = quick(() => 0.5);

    await expect(retry(options, () => Promise.reject(passing))).rejects.toBe(passing);
    expect(waits).toEqual([1, 2, 2.5]);
  });

  test('waits a random part if nothing else is said', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.25);
    const { waits, options } = quick();

    await expect(retry(options, () => Promise.reject(passing))).rejects.toBe(passing);
    random.mockRestore();
    expect(waits).toEqual([0.5, 1, 1.25]);
  });

  test.each([
    ['before it waits', (abort: () => void) => abort()],
    ['while it waits', (abort: () => void) => setImmediate(abort)],
  ])('neither waits nor tries again after its signal is aborted %s', async (_, plan) => {
    const controller = new AbortController();
    const work = vi.fn(() => Promise.reject(passing));
    const forever = { clock: systemClock, attempts: 9, firstDelayMs: 2 ** 30, maxDelayMs: 2 ** 30 };
    const options = { ...forever, signal: controller.signal, isRetried: () => true };
    const retried = retry(options, work);
    plan(() => controller.abort());

    await expect(retried).rejects.toBe(passing);
    await expect(retry(options, work)).rejects.toBe(passing);
    expect(work).toHaveBeenCalledTimes(2);
  });
});

test.each([
  ['counts only attempts without progress', 5, [5, 5, 5, 4, 4, 4, 4, 3, 0], 0, 9],
  ['returns what is left after as many attempts without progress as configured', 3, [2], 2, 5],
])('work of many parts %s', async (_, size, lefts, left, attempts) => {
  const [last = 0] = lefts.slice(-1);
  const attempt = vi.fn(async () => lefts.shift() ?? last);
  const backOff: BackOff = quick().options;

  expect(await untilNoneLeft(backOff, size, attempt)).toBe(left);
  expect(attempt).toHaveBeenCalledTimes(attempts);
});

const throttled = new TransientError('aws.throttled', 'throttled');
const unreachable = new TransientError('aws.unreachable', 'nothing listens');
const doubling = [0, 1000, 3000, 7000, 15_000, 30_000, 45_000];

test.each<[string, Error, number, number[]]>([
  ['waits a second before the second try, then twice as long', throttled, 3, doubling.slice(0, 4)],
  ['waits 15 seconds at most', throttled, 6, doubling],
  ['gives up within seconds if the endpoint never answered', unreachable, 6, doubling.slice(0, 3)],
  ['does not retry a fatal error', new FatalError('aws.denied', 'denied'), 1, [0]],
])('a request during an outage %s', async (_, error, failures, expected) => {
  const { tries, retried } = failing(failures, error);

  if (expected.length > failures) expect(await retried()).toBe('done');
  else await expect(retried()).rejects.toBe(error);
  expect(tries).toEqual(expected);
});

test('a request gives up after five minutes, with the last error', async () => {
  const { clock, retried } = failing(1000, throttled);

  await expect(retried()).rejects.toBe(throttled);
  expect(clock.now()).toBe(maxOutageMs);
});

test('a request does not try again once it is asked to stop', async () => {
  const { tries, retried } = failing(6, throttled);

  await expect(retried(() => tries.length === 2)).rejects.toBe(throttled);
  expect(tries).toEqual([0, 1000]);
});

test('an endpoint that has answered is waited for', async () => {
  const clock = new VirtualClock(0);
  const retried = retryingOutages(clock);
  await retried(async () => 'answered');

  await expect(retried(() => Promise.reject(unreachable))).rejects.toBe(unreachable);
  expect(clock.now()).toBe(maxOutageMs);
});

test('requests of one outage give up together, and each success ends the outage', async () => {
  const clock = new VirtualClock(0);
  const retried = retryingOutages(clock);
  const fails = () => retried(() => Promise.reject(throttled));
  await expect(fails()).rejects.toBe(throttled);

  await expect(fails()).rejects.toBe(throttled);
  expect(clock.now()).toBe(maxOutageMs);

  await retried(async () => 'answered');
  await expect(fails()).rejects.toBe(throttled);
  expect(clock.now()).toBe(2 * maxOutageMs);
});

/** Work that fails so many times before it is done, and when it was tried. */
function failing(times: number, error: Error) {
  const clock = new VirtualClock(0);
  const tries: number[] = [];
  const work = async () => {
    tries.push(clock.now());
    if (tries.length <= times) throw error;
    return 'done';
  };
  return { clock, tries, retried: (stop?: () => boolean) => retryingOutages(clock, stop && { stop })(work) };
}
