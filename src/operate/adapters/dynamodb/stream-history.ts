import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DenormError } from '../../../model/errors.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { asked } from '../../../worker/adapters/aws-errors.ts';
import { type ExpiryEvidence, readStreamRecord } from '../../../worker/adapters/stream-record.ts';
import type { HistoryPort } from '../../archive/audit/read-history.ts';
import { ShardReader } from './shard-reader.ts';
import { openStream } from './stream-port.ts';
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
 * on the stream. DynamoDB supports two readers per shard, and the worker already runs two, so read slowly.
 */
export function streamHistory({ client, streamArn, table, evidence }: StreamHistoryOptions): HistoryPort {
  const stream = openStream(client, streamArn);
  /** By the shard's ID, which is also where its next page begins. */
  const readers = new Map<string, ShardReader>();
  const named = (action: string) => `${action} (dynamodb:${action}) of ${streamArn}`;
  return {
    shards: () => asked(named('DescribeStream'), () => streamShards(client, streamArn)),
    page: (shard, from) =>
      asked(named('GetRecords'), async () => {
        const begun = from === undefined ? undefined : readers.get(from);
        const reader = begun ?? new ShardReader(stream, shard, 'TRIM_HORIZON');
        readers.set(shard, reader);
        const { records, ended } = await reader.read();
        const changes = records.map((record) => readStreamRecord(table, record, evidence));
        return { changes, next: ended ? undefined : shard };
      }),
  };
}
