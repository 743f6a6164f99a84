import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { lambdaRecord } from './lambda-record.ts';

export interface Shard {
  readonly id: string;
  /** The parent shard, which may no longer be in the stream. */
  readonly parentId: string | undefined;
}

/** Where to start reading a shard: at its oldest record, or after one. */
export type ShardPosition = 'TRIM_HORIZON' | { readonly after: string };

export interface FetchedRecords {
  readonly records: readonly DynamoDBRecord[];
  /** Undefined if the shard is closed and was read to its end. */
  readonly next: string | undefined;
}

/** A table's stream, with records in Lambda's format. Throws the SDK's errors. */
export interface StreamPort {
  readonly arn: string;
  /** All shards still in the stream, in any order. */
  shards(): Promise<readonly Shard[]>;
  iterator(shardId: string, position: ShardPosition | { readonly at: string }): Promise<string>;
  records(iterator: string): Promise<FetchedRecords>;
}

export function openStream(client: DynamoDBStreamsClient, arn: string): StreamPort {
  return {
    arn,
    async shards() {
      const shards: Shard[] = [];
      let from: string | undefined;
      do {
        const page = from === undefined ? {} : { ExclusiveStartShardId: from };
        const answer = await client.send(new DescribeStreamCommand({ StreamArn: arn, ...page }));
        const { Shards = [], LastEvaluatedShardId } = answer.StreamDescription ?? {};
        for (const { ShardId, ParentShardId } of Shards)
          if (ShardId) shards.push({ id: ShardId, parentId: ParentShardId });
        from = LastEvaluatedShardId;
      } while (from !== undefined);
      return shards;
    },
    async iterator(shardId, position) {
      const where =
        typeof position === 'string'
          ? { ShardIteratorType: position }
          : 'at' in position
            ? ({ ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber: position.at } as const)
            : ({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: position.after } as const);
      const answer = await client.send(
        new GetShardIteratorCommand({ StreamArn: arn, ShardId: shardId, ...where }),
      );
      return answer.ShardIterator ?? '';
    },
    async records(iterator) {
      const answer = await client.send(new GetRecordsCommand({ ShardIterator: iterator }));
      const records = (answer.Records ?? []).map((record) => lambdaRecord(record, arn));
      return { records, next: answer.NextShardIterator };
    },
  };
}
