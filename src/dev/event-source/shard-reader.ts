import type { DynamoDBRecord } from 'aws-lambda';
import { nameOf } from '../errors.ts';
import type { ShardPosition, StreamPort } from './stream-port.ts';

export interface ShardPage {
  readonly records: readonly DynamoDBRecord[];
  /** The stream says that the shard is closed and that this was its end. */
  readonly ended: boolean;
}

/** Reads one shard from a position on. An iterator that has expired is renewed after the last record read. */
export class ShardReader {
  readonly #stream: StreamPort;
  readonly #shardId: string;
  #position: ShardPosition;
  #iterator: string | undefined;

  constructor(stream: StreamPort, shardId: string, position: 'TRIM_HORIZON' | 'LATEST') {
    this.#stream = stream;
    this.#shardId = shardId;
    this.#position = position;
  }

  /** The next records; none where the shard has no more for now. Each record once. */
  async read(): Promise<ShardPage> {
    this.#iterator ??= await this.#open();
    try {
      return await this.#page(this.#iterator);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      // LATEST would leave out what was written since: from there on, everything is wanted.
      if (this.#position === 'LATEST') this.#position = 'TRIM_HORIZON';
      this.#iterator = await this.#open();
      // An empty page here would be taken for the shard's end.
      return this.#page(this.#iterator);
    }
  }

  async #page(iterator: string): Promise<ShardPage> {
    const { records, next } = await this.#stream.records(iterator);
    const news = records.filter((record) => this.#isNew(record));
    const last = news.at(-1)?.dynamodb?.SequenceNumber;
    if (last !== undefined) this.#position = { after: last };
    this.#iterator = next;
    return { records: news, ended: next === undefined };
  }

  async #open(): Promise<string> {
    try {
      return await this.#stream.iterator(this.#shardId, this.#position);
    } catch (error) {
      if (nameOf(error) !== 'TrimmedDataAccessException') throw error;
      return this.#stream.iterator(this.#shardId, 'TRIM_HORIZON');
    }
  }

  /** Sequence numbers have any number of digits: as texts, "10" would stand before "9". */
  #isNew({ dynamodb }: DynamoDBRecord): boolean {
    if (typeof this.#position === 'string' || dynamodb?.SequenceNumber === undefined) return true;
    return BigInt(dynamodb.SequenceNumber) > BigInt(this.#position.after);
  }
}

function isOutdated(error: unknown): boolean {
  return ['ExpiredIteratorException', 'TrimmedDataAccessException'].includes(nameOf(error));
}
