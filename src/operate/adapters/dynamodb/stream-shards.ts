import { DescribeStreamCommand, type DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';

export interface StreamShard {
  readonly id: string;
  /** The parent shard, which may no longer be in the stream. */
  readonly parentId: string | undefined;
  /** Whether a child shard exists, so that nothing is added to this one. */
  readonly closed: boolean;
}

/** All shards still in the stream, in any order. Throws the SDK's errors. */
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
