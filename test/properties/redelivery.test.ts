import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordOf } from '../../src/develop/testing/table-model/model-stream.ts';
import type { ModelWorker } from '../../src/develop/testing/table-model/model-worker.ts';
import type { StreamRecord } from '../../src/worker/batch/group.ts';
import { propagateBatch } from '../../src/worker/propagation/propagate-batch.ts';
import { keyIn, workerOver } from '../fixtures/cruises/cruise-worker.ts';
import { cruiseItems, cruiseWrites, perform } from './cruise-writes.ts';
import { drifting } from './drift.ts';

const batchSize = fc.integer({ min: 1, max: 7 });

describe('a table to which applications write at random', () => {
  test('drifts without a worker, so that the following properties can fail', () => {
    const samples = fc.sample(cruiseWrites, { numRuns: 50, seed: 1 }).map((writes) => {
      const worker = workerOver(cruiseItems);
      expect(drifting(worker.table)).toEqual([]);
      for (const { write } of writes) perform(worker, write);
      return drifting(worker.table).length;
    });

    expect(samples.filter((drifts) => drifts > 0).length).toBeGreaterThan(40);
  });

  test('ends with every copy equal to its root', async () => {
    await fc.assert(
      fc.asyncProperty(cruiseWrites, batchSize, async (writes, size) => {
        const worker = workerOver(cruiseItems);
        for (const { write, rested } of writes) {
          perform(worker, write);
          if (rested) await worker.rest(size);
        }

        await worker.rest(size);

        expect(drifting(worker.table)).toEqual([]);
        expect(worker.queue.deadLettered).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('ends so if records are split, delayed, duplicated and reordered at any time', async () => {
    await fc.assert(
      fc.asyncProperty(cruiseWrites, fc.infiniteStream(fc.nat()), async (writes, dice) => {
        const roll = rolling(dice);
        const worker = workerOver(cruiseItems);
        const seeds = worker.table.history.length;
        for (const { write, rested } of writes) {
          perform(worker, write);
          if (rested) await propagateBatch(worker.context, someSince(seeds, worker, roll));
        }
        const late = worker.table.history.slice(seeds).map(recordOf);
        worker.stream.take();
        await propagateBatch(worker.context, shuffled(late, roll));
        await worker.rest();

        expect(drifting(worker.table)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a worker that has come to rest', () => {
  test('writes nothing for records that it has seen, in any order and any batches', async () => {
    await fc.assert(
      fc.asyncProperty(cruiseWrites, fc.infiniteStream(fc.nat()), async (writes, dice) => {
        const roll = rolling(dice);
        const worker = workerOver(cruiseItems);
        for (const { write } of writes) perform(worker, write);
        await worker.rest();
        const written = worker.port.counts.itemsWritten;

        for (let delivery = 0; delivery < 4; delivery += 1)
          await propagateBatch(worker.context, someSince(0, worker, roll));
        await worker.rest();

        expect(worker.port.counts.itemsWritten).toBe(written);
        expect(drifting(worker.table)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('creates nothing for records that it has seen, and removes only copies', async () => {
    await fc.assert(
      fc.asyncProperty(cruiseWrites, fc.infiniteStream(fc.nat()), async (writes, dice) => {
        const roll = rolling(dice);
        const worker = workerOver(cruiseItems);
        for (const { write } of writes) perform(worker, write);
        await worker.rest();
        const standing = keysOf(worker);

        await propagateBatch(worker.context, someSince(0, worker, roll));
        await worker.rest();

        const left = keysOf(worker);
        expect(left.filter((key) => !standing.includes(key))).toEqual([]);
        expect(standing.filter((key) => !left.includes(key) && !/bookings|GUEST#/.test(key))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

type Roll = (below: number) => number;

function rolling(dice: Iterator<number>): Roll {
  return (below) => (dice.next().value ?? 0) % below;
}

/** Some of the records since then, some of them twice, in any order. */
function someSince(start: number, worker: ModelWorker, roll: Roll): StreamRecord[] {
  const records = worker.table.history.slice(start).map(recordOf);
  const chosen = records.flatMap((record) => Array.from({ length: roll(3) }, () => record));
  return shuffled(chosen, roll);
}

function shuffled<Element>(elements: readonly Element[], roll: Roll): Element[] {
  return elements
    .map((element) => ({ element, at: roll(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ element }) => element);
}

function keysOf(worker: ModelWorker): string[] {
  return worker.table.items().map((item) => JSON.stringify(keyIn(item)));
}
