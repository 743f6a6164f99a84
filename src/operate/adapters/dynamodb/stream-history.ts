import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as SdkRecord,
} from '@aws-sdk/client-dynamodb-streams';
import { DenormError } from '../../../model/errors.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { asked, awsCode } from '../../../worker/adapters/aws-errors.ts';
import { type ExpiryEvidence, readStreamRecord } from '../../../worker/adapters/stream-record.ts';
import type { HistoryPage, HistoryPort } from '../../archive/audit/read-history.ts';
import { streamShards } from './stream-shards.ts';

export interface StreamHistoryOptions {
  readonly client: DynamoDBStreamsClient;
  readonly streamArn: string;
  readonly table: TableNames;
  readonly evidence: ExpiryEvidence;
}

/**
 * The stream of a table. Needs `dynamodb:DescribeTable`.
 * @throws DenormError `table.no-stream` if it has none
 */
export async function streamOf(client: DynamoDBClient, tableName: string): Promise<string> {
  const { Table } = await asked(`DescribeTable (dynamodb:DescribeTable) of ${tableName}`, () =>
    client.send(new DescribeTableCommand({ TableName: tableName })),
  );
  if (Table?.LatestStreamArn !== undefined && Table.StreamSpecification?.StreamEnabled !== false)
    return Table.LatestStreamArn;
  throw new DenormError(
    'table.no-stream',
    `Expected table ${tableName} to have a stream, found none: enable one with NEW_AND_OLD_IMAGES`,
  );
}

/**
 * The records still in a table's stream. Needs `dynamodb:DescribeStream`, `GetShardIterator` and `GetRecords`
 * on the stream. DynamoDB supports two readers per shard, and the worker already runs two, so read slowly. An
 * expired iterator is renewed after the last record that was read.
 */
export function streamHistory({ client, streamArn, table, evidence }: StreamHistoryOptions): HistoryPort {
  const named = (action: string) => `${action} (dynamodb:${action}) of ${streamArn}`;
  async function open(shard: string, after: string | undefined): Promise<string> {
    const position =
      after === undefined
        ? ({ ShardIteratorType: 'TRIM_HORIZON' } as const)
        : ({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after } as const);
    try {
      const request = { StreamArn: streamArn, ShardId: shard, ...position };
      return (await client.send(new GetShardIteratorCommand(request))).ShardIterator ?? '';
    } catch (error) {
      // The last record read is now older than 24 hours, so every remaining record comes after it.
      if (after !== undefined && awsCode(error) === trimmed) return open(shard, undefined);
      throw error;
    }
  }
  async function read(
    iterator: string,
  ): Promise<{ records: readonly SdkRecord[]; next: string | undefined }> {
    const answer = await client.send(new GetRecordsCommand({ ShardIterator: iterator }));
    return { records: answer.Records ?? [], next: answer.NextShardIterator };
  }
  return {
    shards: () => asked(named('DescribeStream'), () => streamShards(client, streamArn)),
    page: (shard, from) =>
      asked(named('GetRecords'), async (): Promise<HistoryPage> => {
        const { iterator, after } = from === undefined ? noCursor : readCursor(from);
        const page = await read(iterator ?? (await open(shard, after))).catch(async (error: unknown) => {
          if (![trimmed, 'ExpiredIteratorException'].includes(awsCode(error))) throw error;
          return read(await open(shard, after));
        });
        const last = page.records.at(-1)?.dynamodb?.SequenceNumber ?? after;
        return {
          changes: page.records.map((record) =>
            readStreamRecord(table, asDelivered(record, streamArn), evidence),
          ),
          next: page.next && JSON.stringify([page.next, last]),
        };
      }),
  };
}

const trimmed = 'TrimmedDataAccessException';

const noCursor = { iterator: undefined, after: undefined };

/** The start of the next page, and the last record read, in case the iterator has expired. */
function readCursor(cursor: string): { readonly iterator: string; readonly after: string | undefined } {
  const [iterator, after] = JSON.parse(cursor);
  return { iterator: String(iterator), after: typeof after === 'string' ? after : undefined };
}

/** The record as Lambda would deliver it, except that binary values may stay bytes. */
function asDelivered({ dynamodb, userIdentity, ...record }: SdkRecord, eventSourceARN: string): unknown {
  const { ApproximateCreationDateTime: created, ...images } = dynamodb ?? {};
  return {
    ...record,
    eventSourceARN,
    dynamodb: {
      ...images,
      ...(created && { ApproximateCreationDateTime: Math.floor(created.getTime() / 1000) }),
    },
    ...(userIdentity && {
      userIdentity: { type: userIdentity.Type, principalId: userIdentity.PrincipalId },
    }),
  };
}
