import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamRecord } from '../../src/execution/group.ts';
import { propagateBatch } from '../../src/execution/propagate-batch.ts';
import { keyIn, workerOver } from '../execution/fixtures/cruise-worker.ts';
import { recordOf } from '../model/model-stream.ts';
import type { ModelWorker } from '../model/model-worker.ts';
import { cruiseWrites, perform } from './cruise-writes.ts';
import { drifting } from './drift.ts';

describe('whatever applications write', () => {
  test('every copy ends equal to what its root says', async () => {
    await fc.assert(
      fc.asyncProperty(cruiseWrites, fc.integer({ min: 1, max: 7 }), async (writes, batchSize) => {
        const worker = workerOver([]);
        for (const write of writes) perform(worker, write);

        await worker.rest(batchSize);

        expect(drifting(worker.table)).toEqual([]);
        expect(worker.queue.parked).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('and however their records are split, delayed, doubled and put out of order, at any time', async () => {
    await fc.assert(
      fc.asyncProperty(cruiseWrites, fc.infiniteStream(fc.nat()), async (writes, dice) => {
        const roll = (below: number): number => (dice.next().value ?? 0) % below;
        const worker = workerOver([]);
        for (const write of writes) {
          perform(worker, write);
          if (roll(2) === 0) await propagateBatch(worker.engine, someOf(worker, roll));
        }
        await propagateBatch(worker.engine, shuffled(worker.table.history.map(recordOf), roll));
        await worker.rest();

        expect(drifting(worker.table)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a worker that has come to rest', () => {
  test('writes nothing when any of what it has seen comes again, in any order and any parts', async () => {
    await fc.assert(
      fc.asyncProperty(cruiseWrites, fc.infiniteStream(fc.nat()), async (writes, dice) => {
        const roll = (below: number): number => (dice.next().value ?? 0) % below;
        const worker = workerOver([]);
        for (const write of writes.filter(({ is }) => is !== 'delete')) perform(worker, write);
        await worker.rest();
        const written = worker.port.counts.itemsWritten;
        const history = worker.table.history.length;

        for (let delivery = 0; delivery < 4; delivery += 1)
          await propagateBatch(worker.engine, someOf(worker, roll));
        await worker.rest();

        expect(worker.port.counts.itemsWritten).toBe(written);
        expect(worker.table.history).toHaveLength(history);
      }),
      { numRuns: 100 },
    );
  });

  test('brings back nothing and takes nothing when any of what it has seen comes again, removals among it', async () => {
    await fc.assert(
      fc.asyncProperty(cruiseWrites, fc.infiniteStream(fc.nat()), async (writes, dice) => {
        const roll = (below: number): number => (dice.next().value ?? 0) % below;
        const worker = workerOver([]);
        for (const write of writes) perform(worker, write);
        await worker.rest();
        const standing = worker.table.items().map(keyIn);

        await propagateBatch(worker.engine, someOf(worker, roll));
        await worker.rest();

        const left = new Set(worker.table.items().map((item) => JSON.stringify(keyIn(item))));
        expect(standing.length).toBeGreaterThanOrEqual(left.size);
        expect(drifting(worker.table)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

type Roll = (below: number) => number;

/** Some of the records so far, some of them twice, in any order. */
function someOf(worker: ModelWorker, roll: Roll): StreamRecord[] {
  const records = worker.table.history.map(recordOf);
  const chosen = records.flatMap((record) => Array.from({ length: roll(3) }, () => record));
  return shuffled(chosen, roll);
}

function shuffled<Element>(elements: readonly Element[], roll: Roll): Element[] {
  return elements
    .map((element) => ({ element, at: roll(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ element }) => element);
}
