import type { DynamoDBRecord } from 'aws-lambda';
import type { Shard, ShardPosition, StreamPort } from '../../../src/operate/adapters/dynamodb/stream-port.ts';

interface FakeShard extends Shard {
  records: DynamoDBRecord[];
  /** Whether the stream reports the end of the shard, as DynamoDB does and the embedded server does not. */
  saysItsEnd: boolean;
}

/** A stream in memory: the test adds shards and records, and expires iterators. */
export class FakeStream implements StreamPort {
  readonly arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/app/stream/1';
  /** Each call that opened an iterator, with its position. */
  readonly opened: { shardId: string; position: ShardPosition }[] = [];
  readonly #shards: FakeShard[] = [];
  readonly #errors: Error[] = [];
  #generation = 0;
  #refusal = 'ExpiredIteratorException';
  #trimmed = false;

  shard(id: string, parentId?: string, saysItsEnd = false): FakeShard {
    const shard = { id, parentId, records: [], saysItsEnd };
    this.#shards.push(shard);
    return shard;
  }

  /** Refuses every existing iterator from now on. */
  expireIterators(refusal = 'ExpiredIteratorException'): void {
    this.#generation += 1;
    this.#refusal = refusal;
  }

  /** Refuses positions after a record from now on, because the record is trimmed. */
  trim(): void {
    this.#trimmed = true;
  }

  /** Makes the next request for records fail with this error. */
  failOnce(name: string): void {
    this.#errors.push(named(name));
  }

  async shards(): Promise<readonly Shard[]> {
    return this.#shards.map(({ id, parentId }) => ({ id, parentId }));
  }

  async iterator(shardId: string, position: ShardPosition | { readonly at: string }): Promise<string> {
    const { records } = this.#find(shardId);
    if (typeof position !== 'string' && 'at' in position) {
      const at = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === position.at);
      if (at < 0) throw named('TrimmedDataAccessException');
      return JSON.stringify({ shardId, at, generation: this.#generation });
    }
    this.opened.push({ shardId, position });
    if (this.#trimmed && typeof position !== 'string') throw named('TrimmedDataAccessException');
    const after = typeof position === 'string' ? undefined : BigInt(position.after);
    const next = records.findIndex(
      ({ dynamodb }) => after === undefined || BigInt(dynamodb?.SequenceNumber ?? 0) > after,
    );
    const at = next < 0 ? records.length : next;
    return JSON.stringify({ shardId, at, generation: this.#generation });
  }

  async records(iterator: string): Promise<{ records: readonly DynamoDBRecord[]; next: string | undefined }> {
    const error = this.#errors.shift();
    if (error !== undefined) throw error;
    const { shardId, at, generation } = JSON.parse(iterator);
    if (generation !== this.#generation) throw named(this.#refusal);
    const shard = this.#find(shardId);
    const records = shard.records.slice(at, at + 1000);
    const end = at + records.length;
    if (shard.saysItsEnd && end === shard.records.length) return { records, next: undefined };
    return { records, next: JSON.stringify({ shardId, at: end, generation }) };
  }

  #find(id: string): FakeShard {
    const found = this.#shards.find((shard) => shard.id === id);
    if (found === undefined) throw named('ResourceNotFoundException');
    return found;
  }
}

function named(name: string): Error {
  const error = new Error(`the stream says ${name}`);
  error.name = name;
  return error;
}
