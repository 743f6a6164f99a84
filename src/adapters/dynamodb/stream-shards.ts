import { DescribeStreamCommand, type DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';

export interface StreamShard {
  readonly id: string;
  /** The shard that it continues. It may be gone from the stream already. */
  readonly parentId: string | undefined;
  /** Whether another shard continues it, so that nothing is added to it any more. */
  readonly closed: boolean;
}

/** All shards that the stream still has, in any order. Errors are the SDK's. */
export async function streamShards(
  client: DynamoDBStreamsClient,
  streamArn: string,
): Promise<readonly StreamShard[]> {
  const shards: Omit<StreamShard, 'closed'>[] = [];
  let from: string | undefined;
  do {
    const page = from === undefined ? {} : { ExclusiveStartShardId: from };
    const { StreamDescription } = await client.send(
      new DescribeStreamCommand({ StreamArn: streamArn, ...page }),
    );
    for (const { ShardId, ParentShardId } of StreamDescription?.Shards ?? [])
      if (ShardId) shards.push({ id: ShardId, parentId: ParentShardId });
    from = StreamDescription?.LastEvaluatedShardId;
  } while (from !== undefined);
  const continued = new Set(shards.map(({ parentId }) => parentId));
  return shards.map((shard) => ({ ...shard, closed: continued.has(shard.id) }));
}
