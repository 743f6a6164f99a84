import { expect, test, vi } from 'vitest';
import { ModelArchive } from '../../../../src/develop/testing/table-model/model-archive.ts';
import { FatalError, TransientError } from '../../../../src/model/errors.ts';
import { retryingArchive } from '../../../../src/worker/adapters/s3/retrying-archive.ts';

const object = { body: 'first', digest: 'd1' };

test('a request that fails temporarily is retried until it succeeds', async () => {
  const { archive, tries } = failing(3, new TransientError('aws.throttled', 'was throttled'));
  const retrying = retryingArchive(archive, { firstBackOff: 1 });

  expect(await retrying.put('archive/a.json', object, undefined)).toBe(true);
  expect(await retrying.head('archive/a.json')).toMatchObject({ digest: 'd1' });
  await retrying.erase('archive/a.json', 0n);
  expect(await retrying.head('archive/a.json')).toBeUndefined();
  expect(tries()).toBe(16);
});

test('a request that keeps failing throws its TransientError in the end', async () => {
  const { archive, tries } = failing(Number.POSITIVE_INFINITY, new TransientError('aws.fault', 'failed'));

  await expect(retryingArchive(archive, { firstBackOff: 1 }).head('archive/a.json')).rejects.toThrow(
    TransientError,
  );
  expect(tries()).toBe(5);
});

test.each([
  ['for five seconds', 'aws.fault', [0, 4_999, 5_000], 2],
  ['because nothing listens, which the SDK has retried,', 'aws.unreachable', [0], 1],
])('a request that fails %s is not retried any more', async (_, code, times, expected) => {
  const { archive, tries } = failing(Number.POSITIVE_INFINITY, new TransientError(code, 'failed'));
  const clock = vi.spyOn(performance, 'now');
  for (const time of times) clock.mockReturnValueOnce(time);

  await expect(retryingArchive(archive, { firstBackOff: 1 }).head('archive/a.json')).rejects.toThrow(
    'failed',
  );
  clock.mockRestore();

  expect(tries()).toBe(expected);
});

test('a request that fails permanently is not retried', async () => {
  const { archive, tries } = failing(1, new FatalError('aws.denied', 'was denied'));

  await expect(retryingArchive(archive, { firstBackOff: 1 }).head('archive/a.json')).rejects.toThrow(
    FatalError,
  );
  expect(tries()).toBe(1);
});

/** An archive whose every request fails this many times before it succeeds. */
function failing(times: number, error: Error) {
  const archive = new ModelArchive();
  let tries = 0;
  let failed = 0;
  function fail(): void {
    tries += 1;
    failed += 1;
    if (failed <= times) throw error;
    failed = 0;
  }
  const { head, put, erase } = archive;
  Object.assign(archive, {
    head: async (...args: Parameters<typeof head>) => {
      fail();
      return head.apply(archive, args);
    },
    put: async (...args: Parameters<typeof put>) => {
      fail();
      return put.apply(archive, args);
    },
    erase: async (...args: Parameters<typeof erase>) => {
      fail();
      return erase.apply(archive, args);
    },
  });
  return { archive, tries: () => tries };
}
