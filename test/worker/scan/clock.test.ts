import { expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import { maxOutage, retry, retrying } from '../../../src/worker/scan/clock.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const throttled = new TransientError('aws.throttled', 'throttled');
const unreachable = new TransientError('aws.unreachable', 'nothing listens');
const doubling = [0, 1000, 3000, 7000, 15_000, 30_000, 45_000];

test.each<[string, Error, number, number[]]>([
  ['waits a second before the second try, then twice as long', throttled, 3, doubling.slice(0, 4)],
  ['waits 15 seconds at most', throttled, 6, doubling],
  ['gives up within seconds if the endpoint never answered', unreachable, 6, doubling.slice(0, 3)],
  ['does not retry a fatal error', new FatalError('aws.denied', 'denied'), 1, [0]],
])('retry %s', async (_, error, failures, expected) => {
  const { tries, retried } = failing(failures, error);

  if (expected.length > failures) expect(await retried()).toBe('done');
  else await expect(retried()).rejects.toBe(error);
  expect(tries).toEqual(expected);
});

test('retry gives up after five minutes, with the last error', async () => {
  const { clock, retried } = failing(1000, throttled);

  await expect(retried()).rejects.toBe(throttled);
  expect(clock.now()).toBe(maxOutage);
});

test('retry does not try again once it is asked to stop', async () => {
  const { tries, retried } = failing(6, throttled);

  await expect(retried(() => tries.length === 2)).rejects.toBe(throttled);
  expect(tries).toEqual([0, 1000]);
});

test('an endpoint that has answered is waited for', async () => {
  const clock = new VirtualClock(0);
  const retried = retrying(clock);
  await retried(async () => 'answered');

  await expect(retried(() => Promise.reject(unreachable))).rejects.toBe(unreachable);
  expect(clock.now()).toBe(maxOutage);
});

test('requests of one outage give up together, and each success ends the outage', async () => {
  const clock = new VirtualClock(0);
  const retried = retrying(clock);
  const fails = () => retried(() => Promise.reject(throttled));
  await expect(fails()).rejects.toBe(throttled);

  await expect(fails()).rejects.toBe(throttled);
  expect(clock.now()).toBe(maxOutage);

  await retried(async () => 'answered');
  await expect(fails()).rejects.toBe(throttled);
  expect(clock.now()).toBe(2 * maxOutage);
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
  return { clock, tries, retried: (stop?: () => boolean) => retry(clock, work, stop) };
}
