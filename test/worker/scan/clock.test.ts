import { expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import { retry } from '../../../src/worker/scan/clock.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const throttled = new TransientError('aws.throttled', 'throttled');
const unreachable = new TransientError('aws.unreachable', 'nothing listens');
const doubling = [0, 1000, 3000, 7000, 15_000, 31_000];

test.each<[string, Error, number, number[]]>([
  ['waits a second before the second try, then twice as long', throttled, 3, doubling.slice(0, 4)],
  ['gives up after the sixth try with the last error', throttled, 6, doubling],
  ['gives up within seconds if the endpoint is unreachable', unreachable, 6, doubling.slice(0, 3)],
  ['does not retry a fatal error', new FatalError('aws.denied', 'denied'), 1, [0]],
])('retry %s', async (_, error, failures, expected) => {
  const { tries, retried } = failing(failures, error);

  if (expected.length > failures) expect(await retried()).toBe('done');
  else await expect(retried()).rejects.toBe(error);
  expect(tries).toEqual(expected);
});

test('retry does not try again once it is asked to stop', async () => {
  const { tries, retried } = failing(6, throttled);

  await expect(retried(() => tries.length === 2)).rejects.toBe(throttled);
  expect(tries).toEqual([0, 1000]);
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
  return { tries, retried: (stop?: () => boolean) => retry(clock, work, stop) };
}
