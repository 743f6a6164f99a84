import type { Random } from '../../src/develop/testing/simulation/random.ts';
import { recordOf } from '../../src/develop/testing/table-model/model-stream.ts';
import type { Committed } from '../../src/develop/testing/table-model/model-table.ts';
import { keyText } from '../../src/model/item.ts';
import { archiveBatch } from '../../src/worker/archive/archive-batch.ts';
import type { ArchiveContext } from '../../src/worker/archive/archive-item.ts';
import type { StreamRecord } from '../../src/worker/batch/group.ts';

/** Records of a batch. Source: template.yaml, ArchiveBatchSize. */
export const batchSize = 100;

/** Attempts at a batch after which its first record goes to the on-failure destination. */
const maxAttempts = 6;

/** A part of the stream: the records of some items in their order, and how far it was read. */
interface Shard {
  readonly log: StreamRecord[];
  position: number;
  /** How many records the batch has that comes again, and how often it was tried. */
  again: { readonly records: number; readonly attempts: number } | undefined;
}

/** How many records were handed to the function, and how often again. */
export interface DeliveryCounts {
  readonly invocations: number;
  readonly delivered: number;
  readonly again: number;
  readonly duplicates: number;
  readonly redriven: number;
}

/**
 * Hands the records of a stream to the archive as Lambda does: the shards side by side, each in batches, from the lowest
 * unacknowledged record on again, and what failed too often to a destination from which it comes late. Beside that,
 * batches that were seen to come once more, and some are given to two invocations at once.
 */
export class Deliveries {
  readonly counts = { invocations: 0, delivered: 0, again: 0, duplicates: 0, redriven: 0 };
  private readonly context: ArchiveContext;
  private readonly random: Random;
  private readonly shards: readonly Shard[];
  private undelivered: StreamRecord[] = [];

  constructor(context: ArchiveContext, random: Random, shards = 4) {
    this.context = context;
    this.random = random;
    this.shards = Array.from({ length: shards }, () => ({ log: [], position: 0, again: undefined }));
  }

  note(change: Committed): void {
    const hash = [...keyText(change.key)].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 9973, 7);
    this.shards[hash % this.shards.length]?.log.push(recordOf(change));
  }

  /** Records that no function has acknowledged yet. */
  left(): number {
    return this.shards.reduce(
      (sum, { log, position }) => sum + log.length - position,
      this.undelivered.length,
    );
  }

  /** Each shard hands on a batch, side by side; some older ones come again, and now and then what was given up. */
  async round(): Promise<void> {
    await Promise.all(
      this.shards.flatMap((shard) => [
        this.random.chance(0.9) ? this.next(shard) : undefined,
        this.random.chance(0.1) ? this.older(shard) : undefined,
      ]),
    );
    if (this.random.chance(0.01)) await this.redrive();
  }

  /** What was given up is put through once more; what fails again stays there. */
  async redrive(): Promise<void> {
    const records = this.undelivered.splice(0);
    for (let start = 0; start < records.length; start += batchSize) {
      const some = records.slice(start, start + batchSize);
      this.counts.redriven += some.length;
      const failed = await this.invoke(some);
      this.undelivered.push(...some.filter((_, index) => failed(index)));
    }
  }

  /** The whole stream once more, in its order. */
  async replay(): Promise<void> {
    for (const { log } of this.shards)
      for (let start = 0; start < log.length; start += batchSize)
        await this.invoke(log.slice(start, start + batchSize));
  }

  private async next(shard: Shard): Promise<void> {
    const { log, position, again } = shard;
    const records = log.slice(position, position + (again?.records ?? batchSize));
    if (records.length === 0) return;
    if (again === undefined) this.counts.delivered += records.length;
    else this.counts.again += records.length;
    const twice = this.random.chance(0.02) ? this.invoke(records) : undefined;
    if (twice !== undefined) this.counts.duplicates += records.length;
    const failed = await this.invoke(records);
    await twice;
    const first = records.findIndex((_, index) => failed(index));
    if (first < 0) {
      shard.position += records.length;
      shard.again = undefined;
      return;
    }
    shard.position += first;
    const attempts = first === 0 ? (again?.attempts ?? 0) + 1 : 1;
    shard.again = { records: records.length - first, attempts };
    const [given] = records.slice(first);
    if (attempts < maxAttempts || given === undefined) return;
    this.undelivered.push(given);
    shard.position += 1;
    shard.again = undefined;
  }

  private async older(shard: Shard): Promise<void> {
    const back = this.random.pick([10, 100, 1_000, 10_000]);
    const start = Math.max(0, shard.position - this.random.int(1, back));
    const records = shard.log.slice(start, Math.min(start + this.random.int(1, batchSize), shard.position));
    this.counts.duplicates += records.length;
    if (records.length > 0) await this.invoke(records);
  }

  /** @returns which of these were not acknowledged */
  private async invoke(records: readonly StreamRecord[]): Promise<(index: number) => boolean> {
    this.counts.invocations += 1;
    const numbered = records.map(({ says }, index) => ({ id: String(index), says }));
    const failed = await archiveBatch(this.context, numbered);
    return (index) => failed.has(String(index));
  }
}
