import {
  type AttributeValue,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { itemToJson } from '../../../model/items/dynamodb-json.ts';
import type { TableNames } from '../../../model/items/table-names.ts';
import { awsCall, awsCode } from '../../../worker/adapters/aws-errors.ts';
import { fromSdk } from '../../../worker/adapters/dynamodb/table-access.ts';
import { type ExpiryEvidence, readStreamRecord } from '../../../worker/adapters/stream-record.ts';
import type { History } from '../../archive/audit/read-history.ts';

export interface Shard {
  readonly id: string;
  /** The parent shard, which may no longer be in the stream. */
  readonly parentId: string | undefined;
}

/** Where to start reading a shard: at its oldest record, or after one. */
export type ShardPosition = 'TRIM_HORIZON' | { readonly after: string };

interface FetchedRecords {
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

type LambdaImage = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['Keys']>;

/** A stream record as Lambda delivers it: plain JSON, with binary values as base64 and the creation time in epoch seconds. */
function lambdaRecord(record: StreamRecord, streamArn: string): DynamoDBRecord {
  const { dynamodb, eventName, userIdentity } = record;
  const created = dynamodb?.ApproximateCreationDateTime;
  return {
    eventID: record.eventID,
    ...(isEventName(eventName) ? { eventName } : {}),
    eventVersion: record.eventVersion,
    eventSource: record.eventSource,
    awsRegion: record.awsRegion,
    dynamodb: {
      ApproximateCreationDateTime: created && Math.floor(created.getTime() / 1000),
      Keys: dynamodb?.Keys && lambdaImage(dynamodb.Keys),
      NewImage: dynamodb?.NewImage && lambdaImage(dynamodb.NewImage),
      OldImage: dynamodb?.OldImage && lambdaImage(dynamodb.OldImage),
      SequenceNumber: dynamodb?.SequenceNumber,
      SizeBytes: dynamodb?.SizeBytes,
      StreamViewType: dynamodb?.StreamViewType,
    },
    userIdentity: userIdentity && { type: userIdentity.Type, principalId: userIdentity.PrincipalId },
    eventSourceARN: streamArn,
  };
}

function lambdaImage(image: Record<string, AttributeValue>): LambdaImage {
  return itemToJson(fromSdk(image)) as LambdaImage;
}

function isEventName(name: string | undefined): name is 'INSERT' | 'MODIFY' | 'REMOVE' {
  return name === 'INSERT' || name === 'MODIFY' || name === 'REMOVE';
}

interface ShardPage {
  readonly records: readonly DynamoDBRecord[];
  readonly ended: boolean;
}

export interface ShardReader {
  /** The next records, each only once. Empty if the shard has no new records. */
  read(): Promise<ShardPage>;
}

/** Reads one shard from a position. An expired iterator is renewed after the last record that was read. */
export function shardReader(stream: StreamPort, shardId: string, from: ShardPosition): ShardReader {
  let position = from;
  let iterator: string | undefined;

  async function open(): Promise<string> {
    try {
      return await stream.iterator(shardId, position);
    } catch (error) {
      if (awsCode(error) !== 'TrimmedDataAccessException') throw error;
      return stream.iterator(shardId, 'TRIM_HORIZON');
    }
  }

  async function page(): Promise<ShardPage> {
    iterator ??= await open();
    const { records, next } = await stream.records(iterator);
    const last = records.at(-1)?.dynamodb?.SequenceNumber;
    if (last !== undefined) position = { after: last };
    iterator = next;
    return { records, ended: next === undefined };
  }

  return {
    async read() {
      try {
        return await page();
      } catch (error) {
        if (!['ExpiredIteratorException', 'TrimmedDataAccessException'].includes(awsCode(error))) throw error;
        iterator = undefined;
        // Without this, an empty page would be taken for the end of the shard.
        return page();
      }
    },
  };
}

export interface StreamHistoryOptions {
  readonly client: DynamoDBStreamsClient;
  readonly streamArn: string;
  readonly table: TableNames;
  readonly evidence: ExpiryEvidence;
}

/**
 * The records still in a table's stream. Needs `dynamodb:DescribeStream`, `GetShardIterator` and `GetRecords`
 * on the stream. DynamoDB supports two readers per shard, and the worker already runs two, so read slowly.
 */
export function streamHistory({ client, streamArn, table, evidence }: StreamHistoryOptions): History {
  const stream = openStream(client, streamArn);
  const named = (action: string) => `${action} (dynamodb:${action}) of ${streamArn}`;
  return async () => {
    const shards = await awsCall(named('DescribeStream'), () => stream.shards());
    // Nothing is added to a shard that has a child.
    const continued = new Set(shards.map(({ parentId }) => parentId));
    return shards.map(({ id }) => {
      const reader = shardReader(stream, id, 'TRIM_HORIZON');
      return {
        closed: continued.has(id),
        async page() {
          const { records, ended } = await awsCall(named('GetRecords'), () => reader.read());
          return { changes: records.map((record) => readStreamRecord(table, record, evidence)), ended };
        },
      };
    });
  };
}
