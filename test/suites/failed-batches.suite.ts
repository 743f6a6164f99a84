import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FailedBatches } from '../../src/operate/dead-letters/failed-batch.ts';

/** A place for batches that were given up, with nothing in it, and the way in which they come there. */
export interface FailedBatchesUnderTest {
  readonly batches: FailedBatches;
  put(key: string, text: string): Promise<void>;
  close(): Promise<void>;
}

/** The key of an object as Lambda makes it. */
export function failureKey(day: string, name: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return `aws/lambda/Propagate/shardId-0001/${year}/${month}/${date}/${day}T10.11.12-${name}`;
}

/** What every such place does. */
export function describeFailedBatches(name: string, make: () => Promise<FailedBatchesUnderTest>): void {
  describe(`${name} as a store of failed batches`, () => {
    let under: FailedBatchesUnderTest;

    beforeEach(async () => {
      under = await make();
    });

    afterEach(() => under.close());

    test('lists batches, the oldest of a shard first, and reads them', async () => {
      const keys = [
        failureKey('2026-11-20', 'b'),
        failureKey('2026-11-21', 'a'),
        failureKey('2026-10-30', 'c'),
      ];
      for (const key of keys) await under.put(key, `text of ${key} §🦊`);

      expect(await listed(under)).toEqual([keys[2], keys[0], keys[1]]);
      for (const key of keys) expect(await under.batches.read(key)).toBe(`text of ${key} §🦊`);
    });

    test('lists nothing if it is empty', async () => {
      expect(await listed(under)).toEqual([]);
    });

    test('removes a batch, and ignores a second removal', async () => {
      const [gone, stays] = [failureKey('2026-11-20', 'gone'), failureKey('2026-11-20', 'stays')];
      await under.put(gone, 'a');
      await under.put(stays, 'b');
      await under.batches.remove(gone);
      await under.batches.remove(gone);

      expect(await listed(under)).toEqual([stays]);
      expect(await under.batches.read(gone)).toBeUndefined();
    });

    test('lists each batch once while they are removed one by one', async () => {
      for (let index = 0; index < 25; index += 1) await under.put(failureKey('2026-11-20', `${index}`), 'a');
      const seen: string[] = [];
      for await (const key of under.batches.keys()) {
        seen.push(key);
        await under.batches.remove(key);
      }

      expect(new Set(seen).size).toBe(25);
      expect(seen).toHaveLength(25);
      expect(await listed(under)).toEqual([]);
    });
  });
}

async function listed({ batches }: FailedBatchesUnderTest): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of batches.keys()) keys.push(key);
  return keys;
}
