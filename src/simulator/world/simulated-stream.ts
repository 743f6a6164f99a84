import { filterPatterns } from '../../deploy/needs/mapping-filters.ts';
import { eventFilter } from '../../dev/event-source/event-filter.ts';
import { recordId, type Unreadable } from '../../model/items/change.ts';
import { keyText } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { type Committed, lambdaChange } from '../../testing/table-model/model-table.ts';
import { readStreamRecord } from '../../worker/adapters/stream-record.ts';
import type { StreamRecord } from '../../worker/batch/group.ts';
import type { Invocation, InvocationAnswer } from './invocation.ts';
import { type ReaderName, type StreamLabel, streamLabels } from './step.ts';

/** The first sequence number of each stream: it has 21 digits. */
const firstNumber = 100_000_000_000_000_000_000n;

export const readers: readonly ReaderName[] = ['propagate', 'archive'];

/** Attempts at a batch after which its first record goes to the on-failure destination. */
const maxAttempts = 6;

/** One function's way along one shard: batches in order, each until its records are acknowledged. */
export class SimulatedShard {
  /** Everything before this is acknowledged. */
  position = 0;
  current: { readonly invocation: Invocation; readonly from: number; readonly to: number } | undefined;
  readonly log: StreamRecord[] = [];
  attempts = 0;

  hasMore(): boolean {
    return this.position < this.log.length;
  }

  /** The stretch of the log to give next, or to give again; undefined where there is none. */
  batch(
    again: 'next' | 'doubled' | 'older',
    most: number,
    back: number,
  ): { readonly from: number; readonly to: number } | undefined {
    if (again === 'doubled') return this.current && { from: this.current.from, to: this.current.to };
    if (again === 'next' && this.current !== undefined) return undefined;
    const from = again === 'next' ? this.position : Math.max(0, this.position - back);
    const to = Math.min(from + most, again === 'next' ? this.log.length : this.position);
    return from < to ? { from, to } : undefined;
  }

  /**
   * Takes the answer to the current batch.
   * @returns the record that has failed too often, if one has
   */
  take(answer: InvocationAnswer): StreamRecord | undefined {
    const batch = this.current;
    this.current = undefined;
    if (batch === undefined) return undefined;
    const failed = (id: string): boolean => 'threw' in answer || answer.failed.has(id);
    const first = this.log.slice(batch.from, batch.to).findIndex(({ id }) => failed(id));
    this.position = first < 0 ? batch.to : batch.from + first;
    this.attempts = first === 0 ? this.attempts + 1 : 0;
    if (this.attempts < maxAttempts || 'threw' in answer) return undefined;
    this.attempts = 0;
    this.position += 1;
    return this.log[this.position - 1];
  }
}

/** The table's stream: its shards as each function reads them, behind the filter of its mapping. */
export class SimulatedStream {
  readonly shards: Readonly<Record<ReaderName, readonly SimulatedShard[]>>;
  readonly malformed: Unreadable[] = [];
  private readonly registry: Registry;
  private label: StreamLabel = streamLabels[0];
  /** The last number of each stream, by its label. */
  private readonly numbers = new Map<string, bigint>();
  private readonly changes = new Map<bigint, Committed>();
  private readonly passes: Readonly<Record<ReaderName, (record: unknown) => boolean>>;

  constructor(registry: Registry, count: number) {
    this.registry = registry;
    this.passes = {
      propagate: eventFilter(filterPatterns(registry, 'Propagate')),
      archive: eventFilter(filterPatterns(registry, 'Archive')),
    };
    const shards = () => Array.from({ length: count }, () => new SimulatedShard());
    this.shards = { propagate: shards(), archive: shards() };
  }

  /**
   * Puts the record of a change onto the shard of its item.
   * @param skew how far off the stream's clock is, in milliseconds
   */
  note(change: Committed, skew: number): void {
    const { table } = this.registry;
    const sequence = (this.numbers.get(this.label) ?? firstNumber) + 1n;
    this.numbers.set(this.label, sequence);
    const told = {
      ...lambdaChange(table, { ...change, sequence, at: change.at + skew }),
      eventSourceARN: `arn:aws:dynamodb:eu-central-1:123456789012:table/simulated/stream/${this.label}`,
    };
    const parsed = readStreamRecord(table, told, { globalTableReplica: false });
    if ('sequence' in parsed) this.changes.set(recordId(parsed.sequence), change);
    for (const reader of readers)
      if (this.passes[reader](told))
        this.shards[reader][this.shardOf(keyText(change.key))]?.log.push({
          id: String(change.sequence),
          parsed,
        });
  }

  /**
   * The change that a record told of.
   * @param sequence of the record, as the worker has it
   */
  changeOf(sequence: bigint): Committed | undefined {
    return this.changes.get(recordId(sequence));
  }

  /**
   * Records that nobody has read in time are gone: those that wait for Propagate.
   * @returns how many
   */
  lose(): number {
    const waiting = this.shards.propagate.map(({ log, position }) => log.length - position);
    for (const shard of this.shards.propagate) shard.position = shard.log.length;
    return waiting.reduce((sum, one) => sum + one, 0);
  }

  /**
   * Changes from now on come by this stream: a new one, or an older one.
   * @returns false if they do already
   */
  turnTo(label: StreamLabel): boolean {
    const isOther = label !== this.label;
    this.label = label;
    return isOther;
  }

  /** @param key of an item, as text */
  shardOf(key: string): number {
    const hash = [...key].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 9973, 7);
    return hash % this.shards.propagate.length;
  }

  addMalformed(shard: number): boolean {
    if (this.shards.propagate[shard] === undefined) return false;
    const record = `malformed ${this.malformed.length}`;
    const parsed: Unreadable = {
      unreadable: 'Expected a stream record of DynamoDB',
      record,
      ...(this.malformed.length % 2 > 0 && { lastImage: true }),
    };
    this.malformed.push(parsed);
    for (const reader of readers) this.shards[reader][shard]?.log.push({ id: record, parsed });
    return true;
  }
}
