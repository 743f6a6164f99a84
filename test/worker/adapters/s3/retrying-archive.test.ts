import { expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../../src/model/basics/errors.ts';
import { ModelArchive } from '../../../../src/testing/table-model/model-archive.ts';
import { retryingArchive } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import { VirtualClock } from '../../../fixtures/virtual-clock.ts';
import { watchArchive } from '../../../fixtures/world/watched-archive.ts';

const failed = new TransientError('aws.fault', 'failed');

test('a request that fails temporarily is retried until it succeeds', async () => {
  const { archive, tries } = failing(3, failed);
  const retrying = retryingArchive(archive, { clock: new VirtualClock() });

  expect(await retrying.put('archive/a.json', { body: 'first', digest: 'd1' }, undefined)).toBe(true);
  expect(await retrying.head('archive/a.json')).toMatchObject({ digest: 'd1' });
  await retrying.erase('archive/a.json', 0n);
  expect(await retrying.head('archive/a.json')).toBeUndefined();
  expect(tries()).toBe(16);
});

const unreachable = new TransientError('aws.unreachable', 'failed');
test.each<[string, Error, number[], number]>([
  ['that keeps failing throws its error after five attempts', failed, [], 5],
  ['is not retried after five seconds', failed, [0, 4_999, 5_000], 2],
  ['is not retried if nothing listens, which the SDK has retried', unreachable, [], 1],
  ['that fails permanently is not retried', new FatalError('aws.denied', 'was denied'), [], 1],
])('a request %s', async (_, error, times, expected) => {
  const { archive, tries } = failing(Number.POSITIVE_INFINITY, error);
  const left = [...times];
  const clock = { now: () => left.shift() ?? 0, sleep: async () => {} };

  await expect(retryingArchive(archive, { clock }).head('archive/a.json')).rejects.toBe(error);
  expect(tries()).toBe(expected);
});

/** An archive whose every request fails this many times before it succeeds. */
function failing(times: number, error: Error) {
  const archive = new ModelArchive();
  let tries = 0;
  let failures = 0;
  watchArchive({ archive }, () => {
    tries += 1;
    failures += 1;
    if (failures <= times) throw error;
    failures = 0;
  });
  return { archive, tries: () => tries };
}
