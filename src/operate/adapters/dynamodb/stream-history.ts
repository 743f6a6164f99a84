import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { TableNames } from '../../../model/items/table-names.ts';
import { asked } from '../../../worker/adapters/aws-errors.ts';
import { type ExpiryEvidence, readStreamRecord } from '../../../worker/adapters/stream-record.ts';
import type { History } from '../../archive/audit/read-history.ts';
import { openStream, shardReader } from './stream-port.ts';

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
    const shards = await asked(named('DescribeStream'), () => stream.shards());
    // Nothing is added to a shard that has a child.
    const continued = new Set(shards.map(({ parentId }) => parentId));
    return shards.map(({ id }) => {
      const reader = shardReader(stream, id, 'TRIM_HORIZON');
      return {
        closed: continued.has(id),
        async page() {
          const { records, ended } = await asked(named('GetRecords'), () => reader.read());
          return { changes: records.map((record) => readStreamRecord(table, record, evidence)), ended };
        },
      };
    });
  };
}
