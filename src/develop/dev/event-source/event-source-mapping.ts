import type { SavedPosition } from './checkpoint.ts';
import type { Delivery } from './delivery.ts';
import type { IdleTracker, Moment } from './idle-tracker.ts';
import { ShardDelivery, type ShardDeliveryOptions, ShardReader } from './shard-delivery.ts';
import type { Shard, StreamPort } from './stream-port.ts';

/** Pause between checks for new shards, in milliseconds. */
const describeDelay = 1_000;

export interface MappingOptions
  extends Pick<ShardDeliveryOptions, 'passes' | 'prepare' | 'fetched' | 'finished' | 'persist' | 'fail'> {
  readonly stream: StreamPort;
  readonly idleTracker: IdleTracker;
  /** Creates the delivery for the records of a shard. */
  readonly deliveryFor: (shardId: string) => Delivery;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  /** By shard: where to continue instead of the starting position. */
  readonly resumed: Readonly<Record<string, SavedPosition>>;
}

/**
 * Reads the stream for one function, with its own positions. Starts a shard only after its parent has been
 * delivered to the end.
 */
export class EventSourceMapping {
  readonly #options: MappingOptions;
  readonly #open = new Map<string, { readonly shard: ShardDelivery; readonly run: Promise<void> }>();
  readonly #done = new Set<string>();
  readonly #positions: Map<string, SavedPosition>;
  #shards: readonly Shard[] = [];
  #lookedAt: Moment = 0;

  constructor(options: MappingOptions) {
    this.#options = options;
    this.#positions = new Map(Object.entries(options.resumed));
  }

  /** By shard: everything up to there is delivered. */
  positions(): Readonly<Record<string, SavedPosition>> {
    for (const [id, { shard }] of this.#open) this.#keep(id, shard);
    return Object.fromEntries(this.#positions);
  }

  #keep(id: string, { position }: ShardDelivery): void {
    if (position !== undefined) this.#positions.set(id, position);
  }

  /** Whether everything in the stream at `moment` has been delivered, and nothing has happened since. */
  isQuietSince(moment: Moment): boolean {
    if (this.#lookedAt <= moment) return false;
    const since = Math.max(moment, this.#options.idleTracker.lastWork);
    return this.#shards.every(
      ({ id }) => this.#done.has(id) || this.#open.get(id)?.shard.isQuietSince(since) === true,
    );
  }

  /** Resolves when the event source has stopped and nothing is in flight. */
  async run(): Promise<void> {
    const { idleTracker, fail, persist, startingPosition, stream } = this.#options;
    let position = startingPosition;
    try {
      while (!idleTracker.stopped.aborted) {
        const asked = idleTracker.now();
        this.#shards = await persist(() => stream.shards());
        for (const shard of this.#shards) if (this.#isDue(shard)) this.#begin(shard.id, position);
        this.#lookedAt = asked;
        idleTracker.changed();
        // Shards that appear later contain only later records, so read them from the start.
        position = 'TRIM_HORIZON';
        await idleTracker.poll(describeDelay);
      }
    } catch (error) {
      fail(error);
    }
    await Promise.all([...this.#open.values()].map(({ run }) => run));
  }

  #isDue({ id, parentId }: Shard): boolean {
    if (this.#done.has(id) || this.#open.has(id)) return false;
    const parentIsThere = this.#shards.some((shard) => shard.id === parentId);
    return parentId === undefined || this.#done.has(parentId) || !parentIsThere;
  }

  #begin(id: string, position: 'TRIM_HORIZON' | 'LATEST'): void {
    const { idleTracker, deliveryFor, fail, resumed, stream } = this.#options;
    const shard = new ShardDelivery({
      ...this.#options,
      reader: new ShardReader(stream, id, resumed[id] ?? position),
      delivery: deliveryFor(id),
      hasChildren: () => this.#shards.some(({ parentId }) => parentId === id),
    });
    const run = shard.run().then(() => {
      this.#keep(id, shard);
      this.#open.delete(id);
      if (!idleTracker.stopped.aborted) this.#done.add(id);
      idleTracker.wake();
    }, fail);
    this.#open.set(id, { shard, run });
  }
}
