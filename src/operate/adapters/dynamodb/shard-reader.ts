import type { DynamoDBRecord } from 'aws-lambda';
import { awsCode } from '../../../worker/adapters/aws-errors.ts';
import type { ShardPosition, StreamPort } from './stream-port.ts';

export interface ShardPage {
  readonly records: readonly DynamoDBRecord[];
  readonly ended: boolean;
}

/** Reads one shard from a position. An expired iterator is renewed after the last record that was read. */
export class ShardReader {
  readonly #stream: StreamPort;
  readonly #shardId: string;
  #position: ShardPosition;
  #iterator: string | undefined;

  constructor(stream: StreamPort, shardId: string, position: ShardPosition) {
    this.#stream = stream;
    this.#shardId = shardId;
    this.#position = position;
  }

  /** The next records, each only once. Empty if the shard has no new records. */
  async read(): Promise<ShardPage> {
    this.#iterator ??= await this.#open();
    try {
      return await this.#page(this.#iterator);
    } catch (error) {
      if (!['ExpiredIteratorException', 'TrimmedDataAccessException'].includes(awsCode(error))) throw error;
      this.#iterator = await this.#open();
      // Without this, an empty page would be taken for the end of the shard.
      return this.#page(this.#iterator);
    }
  }

  async #page(iterator: string): Promise<ShardPage> {
    const { records, next } = await this.#stream.records(iterator);
    const last = records.at(-1)?.dynamodb?.SequenceNumber;
    if (last !== undefined) this.#position = { after: last };
    this.#iterator = next;
    return { records, ended: next === undefined };
  }

  async #open(): Promise<string> {
    try {
      return await this.#stream.iterator(this.#shardId, this.#position);
    } catch (error) {
      if (awsCode(error) !== 'TrimmedDataAccessException') throw error;
      return this.#stream.iterator(this.#shardId, 'TRIM_HORIZON');
    }
  }
}
