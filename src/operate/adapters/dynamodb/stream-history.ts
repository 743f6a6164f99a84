import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { TableNames } from '../../../model/table-names.ts';
import { asked } from '../../../worker/adapters/aws-errors.ts';
import { type ExpiryEvidence, readStreamRecord } from '../../../worker/adapters/stream-record.ts';
import type { HistoryPort } from '../../archive/audit/read-history.ts';
import { ShardReader } from './shard-reader.ts';
import { openStream } from './stream-port.ts';

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
export function streamHistory({ client, streamArn, table, evidence }: StreamHistoryOptions): HistoryPort {
  const stream = openStream(client, streamArn);
  /** By the shard's ID, which is also where its next page begins. */
  const readers = new Map<string, ShardReader>();
  const named = (action: string) => `${action} (dynamodb:${action}) of ${streamArn}`;
  return {
    async shards() {
      const shards = await asked(named('DescribeStream'), () => stream.shards());
      // Nothing is added to a shard that has a child.
      const continued = new Set(shards.map(({ parentId }) => parentId));
      return shards.map(({ id }) => ({ id, closed: continued.has(id) }));
    },
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
