import { describe, expect, test } from 'vitest';
import { FatalError } from '../../../src/model/basics/errors.ts';
import {
  asRead,
  type DeadLetterReader,
  type FoundDeadLetter,
  groupDeadLetters,
  withFailedBatches,
} from '../../../src/operate/dead-letters/dead-letters.ts';
import type { FailedBatches } from '../../../src/operate/dead-letters/failed-batch.ts';
import { lookAt } from '../../suites/dead-letter-reader.suite.ts';

const key = 'aws/lambda/2025-01-01T00.00.00-a/shardId-1/2026-11-20T10.11.12-c0ffee';
const letter: FoundDeadLetter = { id: 'm1', at: 7, code: 'dead-letter.unreadable', reason: 'why' };

function bucketOf(name: string, owner: 'Propagate' | undefined, ...keys: string[]) {
  const removed: string[] = [];
  const batches: FailedBatches = {
    ...{ name, owner },
    async *keys() {
      yield* keys;
    },
    read: async () => undefined,
    remove: async (one) => void removed.push(one),
  };
  return { batches, removed };
}

function queueWith(...deadLetters: FoundDeadLetter[]) {
  const removed: FoundDeadLetter[][] = [];
  const reader: DeadLetterReader = {
    async look(take) {
      deadLetters.forEach(take);
      return 2;
    },
    remove: async (some) => void removed.push([...some]),
    close: async () => 3,
  };
  return { reader, removed };
}

function batch({ batches }: { batches: FailedBatches }, id = key): FoundDeadLetter {
  const at = id === key ? Date.UTC(2026, 10, 20, 10, 11, 12) : 0;
  const reason = `Lambda gave up a batch of ${batches.owner ?? 'a function'}: see its errors alarm`;
  return { id, at, code: 'batch.given-up', reason, batch: { batches, key: id } };
}

/** A queue with a dead letter, a bucket with two batches, and a folder with one. */
function several() {
  const bucket = bucketOf('s3://a', 'Propagate', key, 'unnamed');
  const folder = bucketOf('.denorm', undefined, key);
  const queue = queueWith(letter);
  const all = withFailedBatches(queue.reader, [bucket.batches, folder.batches]);
  const found = [letter, batch(bucket), batch(bucket, 'unnamed'), batch(folder)] as const;
  return { bucket, folder, queue, all, found };
}

describe('the dead letters of a queue and the batches that Lambda gave up', () => {
  test('are one list, with the time in the name of a batch', async () => {
    const { all, found } = several();
    expect(await lookAt(all)).toEqual({ deadLetters: found, unseen: 2 });
    expect(await all.close()).toBe(3);
  });

  test('end where the look is stopped', async () => {
    const { all, found } = several();
    let asked = 0;
    const stop = () => {
      asked += 1;
      return asked > 1;
    };

    expect((await lookAt(all, { stop })).deadLetters).toEqual(found.slice(0, 2));
  });

  test('are removed each where it is', async () => {
    const { bucket, folder, queue, all, found } = several();
    await all.remove(found.slice(1, 3));
    expect([bucket.removed, folder.removed, queue.removed]).toEqual([[key, 'unnamed'], [], []]);

    await all.remove([letter, found[3]]);
    expect([folder.removed, queue.removed]).toEqual([[key], [[letter]]]);
  });

  test('are lines of their own, with the key and the function of a batch', () => {
    const { found } = several();
    const groups = groupDeadLetters(found);

    expect(new Set(groups.map(({ id }) => id)).size).toBe(4);
    expect(groups.find(({ deadLetters }) => deadLetters[0] === found[1])).toMatchObject({
      ...{ rule: undefined, key: undefined, record: key, causes: [], code: 'batch.given-up' },
      reason: 'Lambda gave up a batch of Propagate: see its errors alarm',
    });
    expect(groups.find(({ deadLetters }) => deadLetters[0] === found[3])?.reason).toBe(
      'Lambda gave up a batch of a function: see its errors alarm',
    );
  });
});

describe('a failed batch, read,', () => {
  const reading = (read: FailedBatches['read']) =>
    batch({ batches: { ...bucketOf('s3://a', 'Propagate').batches, read } });
  const denied = reading(async () => {
    throw new FatalError('aws.denied', 'GetObject was denied');
  });

  test.each([
    ['has a code of its own if none', reading(async () => '{}'), /^No redrive can run it: it is/, false],
    ['says why nobody could read it', denied, /errors alarm; it was not read: GetObject was/, true],
  ])('%s', async (_, found, says, isRedrivable) => {
    const read = (await asRead(found)) ?? expect.fail('it is gone');
    expect(read).toMatchObject({
      reason: expect.stringMatching(says),
      code: isRedrivable ? 'batch.given-up' : 'batch.unreadable',
    });
    expect(groupDeadLetters([read])).toMatchObject([{ isRedrivable }]);
  });

  test('is left out if it is gone', async () => {
    expect(await asRead(reading(async () => undefined))).toBeUndefined();
  });
});

test('without a queue there are no dead letters', async () => {
  const none = withFailedBatches(undefined, []);

  expect(await lookAt(none)).toEqual({ deadLetters: [], unseen: 0 });
  await none.remove([letter]);
  expect(await none.close()).toBe(0);
});
