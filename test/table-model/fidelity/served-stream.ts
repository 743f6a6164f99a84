import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamsRecord,
} from '@aws-sdk/client-dynamodb-streams';
import { loopbackClientSettings } from '../../../src/develop/dev/loopback.ts';
import type { Committed } from '../../../src/develop/testing/table-model/model-table.ts';
import { canonicalMap } from '../../../src/model/attribute-value.ts';
import { type Item, keyOf, keyText } from '../../../src/model/item.ts';
import { fromSdk } from '../../../src/worker/adapters/dynamodb/sdk-values.ts';
import { names } from '../../worker/adapters/dynamodb/table-fixture.ts';

/** How long the stream may take to show what was written, in milliseconds. */
const maxWait = 20_000;

/** What the records of a stream said: of each item, its changes in their order. */
export interface StreamSaid {
  readonly byItem: ReadonlyMap<string, readonly string[]>;
  /** Changes of one item whose sequence number is not above that of the change before. */
  readonly disordered: number;
}

/** All records of a stream, from its beginning. Waits until there are as many as are expected, and looks once more. */
export async function readStream(endpoint: string, streamArn: string, expected: number): Promise<StreamSaid> {
  const client = new DynamoDBStreamsClient(loopbackClientSettings(endpoint));
  const iterators = new Map<string, string | undefined>();
  const byItem = new Map<string, string[]>();
  const sequences = new Map<string, bigint>();
  let disordered = 0;
  const note = ({ dynamodb }: StreamsRecord): void => {
    const before = dynamodb?.OldImage && fromSdk(dynamodb.OldImage);
    const after = dynamodb?.NewImage && fromSdk(dynamodb.NewImage);
    const said = changeText(before, after);
    const item = nameOf(before ?? after ?? {});
    const sequence = BigInt(dynamodb?.SequenceNumber ?? 0);
    if (sequence <= (sequences.get(item) ?? -1n)) disordered += 1;
    sequences.set(item, sequence);
    // DynamoDB writes no record of a write that changed nothing, the embedded server does.
    if (imageText(before) !== imageText(after)) byItem.set(item, [...(byItem.get(item) ?? []), said]);
  };
  const sweep = async (): Promise<void> => {
    const described = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
    for (const { ShardId = '' } of described.StreamDescription?.Shards ?? []) {
      if (iterators.has(ShardId)) continue;
      const request = { StreamArn: streamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' as const };
      iterators.set(ShardId, (await client.send(new GetShardIteratorCommand(request))).ShardIterator);
    }
    for (const [shard, ShardIterator] of iterators) {
      if (ShardIterator === undefined) continue;
      const { Records = [], NextShardIterator } = await client.send(new GetRecordsCommand({ ShardIterator }));
      iterators.set(shard, NextShardIterator);
      for (const record of Records) note(record);
    }
  };
  try {
    const end = performance.now() + maxWait;
    const found = () => [...byItem.values()].reduce((sum, changes) => sum + changes.length, 0);
    while (found() < expected && performance.now() < end) await sweep();
    await sweep();
    return { byItem, disordered };
  } finally {
    client.destroy();
  }
}

/** The same of the model's history. */
export function historySaid(history: readonly Committed[]): ReadonlyMap<string, readonly string[]> {
  const byItem = new Map<string, string[]>();
  for (const { key, before, after } of history) {
    const item = keyText(key);
    byItem.set(item, [...(byItem.get(item) ?? []), changeText(before, after)]);
  }
  return byItem;
}

function changeText(before: Item | undefined, after: Item | undefined): string {
  return `${imageText(before)} -> ${imageText(after)}`;
}

function imageText(image: Item | undefined): string {
  return image === undefined ? 'nothing' : canonicalMap(image);
}

function nameOf(image: Item): string {
  return keyText(keyOf(names, image) ?? { pk: '', sk: '' });
}
