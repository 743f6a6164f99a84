import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../src/develop/testing/table-model/virtual-clock.ts';
import { FatalError, TransientError } from '../../../src/model/errors.ts';
import { retry } from '../../../src/worker/scan/clock.ts';

describe('retry', () => {
  test('waits a second before the second try, and doubles the pause each time', async () => {
    const { clock, tries, work } = failing(3);

    expect(await retry(clock, work)).toBe('done');

    expect(tries).toEqual([0, 1000, 3000, 7000]);
  });

  test('gives up after the sixth try with the last error', async () => {
    const { clock, tries, work } = failing(6);

    await expect(retry(clock, work)).rejects.toMatchObject({ code: 'aws.throttled' });

    expect(tries).toEqual([0, 1000, 3000, 7000, 15_000, 31_000]);
  });

  test('gives up within seconds if the endpoint is unreachable', async () => {
    const { clock, tries, work } = failing(6, new TransientError('aws.unreachable', 'nothing listens'));

    await expect(retry(clock, work)).rejects.toMatchObject({ code: 'aws.unreachable' });

    expect(tries).toEqual([0, 1000, 3000]);
  });

  test('does not retry once it is asked to stop', async () => {
    const { clock, tries, work } = failing(6);

    await expect(retry(clock, work, () => tries.length === 2)).rejects.toMatchObject({
      code: 'aws.throttled',
    });

    expect(tries).toEqual([0, 1000]);
  });

  test('does not retry a fatal error', async () => {
    const { clock, tries, work } = failing(1, new FatalError('aws.denied', 'denied'));

    await expect(retry(clock, work)).rejects.toMatchObject({ code: 'aws.denied' });

    expect(tries).toEqual([0]);
  });
});

/** Work that fails so many times before it is done, and when it was tried. */
function failing(times: number, error: Error = new TransientError('aws.throttled', 'throttled')) {
  const clock = new VirtualClock();
  const began = clock.now();
  const tries: number[] = [];
  const work = async () => {
    tries.push(clock.now() - began);
    if (tries.length <= times) throw error;
    return 'done';
  };
  return { clock, tries, work };
}
