import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DenormError } from '../../../model/basics/errors.ts';
import { describedTable, tableDifferences } from '../../../model/items/table-differences.ts';
import type { TableNames } from '../../../model/items/table-names.ts';
import { awsCall, awsCode, fromAws } from '../../../worker/adapters/aws-errors.ts';

export interface TableDescription {
  /** Distinguishes tables of the same name: in other accounts and regions, on other local servers, and one that was made again. */
  readonly id: string;
  /** DynamoDB's item count, which is updated about every six hours. */
  readonly items: number;
  /** Their size without indexes, as old as their count. */
  readonly bytes: number;
  /** Whether its stream contains both images, which the worker requires. */
  readonly hasStream: boolean;
  readonly building: readonly string[];
  /** One sentence about the features that do not work on this table, or undefined. */
  readonly limitation: string | undefined;
}

/**
 * Needs `dynamodb:DescribeTable`.
 * @throws DenormError `table.unknown` if it does not exist, `table.other-shape` if its keys or indexes are not those of `src/table.ts`
 */
export async function describeTable(
  client: DynamoDBClient,
  tableName: string,
  table: TableNames,
): Promise<TableDescription> {
  const found = await describe(client, tableName);
  const differences = tableDifferences(describedTable(table), found);
  if (differences.length > 0)
    throw new DenormError(
      'table.other-shape',
      `Expected table ${tableName} to have the keys and indexes that src/table.ts names, each with one string for its partition key and one for its sort key, found others (${differences.join('; ')}): correct the names, or use another index`,
    );
  const { StreamEnabled, StreamViewType } = found.StreamSpecification ?? {};
  return {
    id: [found.TableArn ?? tableName, ...(found.TableId === undefined ? [] : [found.TableId])].join(' '),
    items: found.ItemCount ?? 0,
    bytes: found.TableSizeBytes ?? 0,
    hasStream: StreamEnabled === true && StreamViewType === 'NEW_AND_OLD_IMAGES',
    limitation: found.MultiRegionConsistency === 'STRONG' ? withoutTransactions(tableName) : undefined,
    building: (found.GlobalSecondaryIndexes ?? []).flatMap(({ IndexName, IndexStatus }) =>
      IndexName !== undefined && IndexStatus === 'CREATING' ? [IndexName] : [],
    ),
  };
}

/**
 * Needs `dynamodb:DescribeTable`.
 * @throws DenormError `table.unknown` or, if the table has no stream, `table.no-stream`
 */
export async function streamOf(client: DynamoDBClient, tableName: string): Promise<string> {
  const { LatestStreamArn, StreamSpecification } = await describe(client, tableName);
  if (LatestStreamArn !== undefined && StreamSpecification?.StreamEnabled !== false) return LatestStreamArn;
  throw new DenormError(
    'table.no-stream',
    `Expected table ${tableName} to have a stream, found none: enable one with NEW_AND_OLD_IMAGES`,
  );
}

/** A new table's stream is enabled a little later than the table is there. */
const withTableMs = 60_000;

/**
 * When the table's stream was enabled, in epoch milliseconds; undefined if it is as old as the table. What was enabled again is
 * another stream, without the records of the one before. Needs `dynamodb:DescribeTable`.
 * @throws DenormError `table.unknown`
 */
export async function streamBeganAt(client: DynamoDBClient, tableName: string): Promise<number | undefined> {
  const { LatestStreamLabel, CreationDateTime } = await describe(client, tableName);
  // The label is a time without its zone, which is UTC. Source: DynamoDB API Reference, "TableDescription".
  const began = Date.parse(`${LatestStreamLabel}Z`);
  const created = CreationDateTime?.getTime() ?? Number.NaN;
  return began - created > withTableMs ? began : undefined;
}

/** The attribute by which items expire, if any do. Needs `dynamodb:DescribeTimeToLive`. */
export async function expiryAttribute(
  client: DynamoDBClient,
  TableName: string,
): Promise<string | undefined> {
  const { TimeToLiveDescription } = await awsCall(
    `DescribeTimeToLive (dynamodb:DescribeTimeToLive) of ${TableName}`,
    () => client.send(new DescribeTimeToLiveCommand({ TableName })),
  );
  const { TimeToLiveStatus, AttributeName } = TimeToLiveDescription ?? {};
  return TimeToLiveStatus?.startsWith('ENABL') ? AttributeName : undefined;
}

/** How items expire, and whether the table can be restored. Needs also `dynamodb:DescribeContinuousBackups`. */
export async function expiryAndRecovery(client: DynamoDBClient, TableName: string) {
  const expiry = await expiryAttribute(client, TableName);
  const { ContinuousBackupsDescription } = await awsCall(
    `DescribeContinuousBackups (dynamodb:DescribeContinuousBackups) of ${TableName}`,
    () => client.send(new DescribeContinuousBackupsCommand({ TableName })),
  );
  const { PointInTimeRecoveryStatus } = ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  return {
    expiry,
    recovers: PointInTimeRecoveryStatus === 'ENABLED',
  };
}

/** Source: AWS, "How DynamoDB global tables work", multi-Region strong consistency (MRSC). */
function withoutTransactions(tableName: string): string {
  return `Table ${tableName} is a global table with multi-Region strong consistency, which supports neither transactions nor TTL: copies are updated, but not removed or moved, and nothing expires`;
}

/** @throws DenormError `table.unknown` */
export async function describe(client: DynamoDBClient, tableName: string) {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: tableName }))).Table ?? {};
  } catch (error) {
    if (awsCode(error) === 'ResourceNotFoundException')
      throw new DenormError(
        'table.unknown',
        `Expected a table called ${tableName}, found none there: check its name, the region and the endpoint`,
        { cause: error },
      );
    throw fromAws(error, `DescribeTable (dynamodb:DescribeTable) of ${tableName}`);
  }
}
