import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DenormError } from '../../model/errors.ts';
import type { TableNames } from '../../model/table-names.ts';
import { awsCode, fromAws } from '../aws-errors.ts';

/** The description of a table. */
export interface TableDescription {
  /** Distinguishes tables of the same name in different accounts or regions. */
  readonly arn: string;
  /** DynamoDB's item count, which is updated about every six hours. */
  readonly items: number;
  /** Whether its stream contains both images, which the worker requires. */
  readonly hasStream: boolean;
  /** Names of indexes that are still being built. */
  readonly building: readonly string[];
  /** One sentence about the features that do not work on this table, or undefined. */
  readonly limitation: string | undefined;
}

/**
 * Describes a table, and verifies that it has the keys and indexes of `src/table.ts`. Needs
 * `dynamodb:DescribeTable`.
 * @throws DenormError `table.unknown` if it does not exist, `table.other-shape` if its keys or indexes differ
 */
export async function describeTable(
  client: DynamoDBClient,
  tableName: string,
  table: TableNames,
): Promise<TableDescription> {
  const found = await describe(client, tableName);
  const indexes = found.GlobalSecondaryIndexes ?? [];
  const differing = [
    ...(hasKeys(found.KeySchema, table) ? [] : ['its keys']),
    ...Object.values(table.indexes)
      .filter(({ name, pk, sk, projection }) => {
        const index = indexes.find(({ IndexName }) => IndexName === name);
        return (
          index === undefined ||
          !hasKeys(index.KeySchema, { pk, sk }) ||
          (projection !== undefined && index.Projection?.ProjectionType !== projection)
        );
      })
      .map(({ name }) => `index ${name}`),
  ];
  if (differing.length > 0)
    throw new DenormError(
      'table.other-shape',
      `Expected table ${tableName} to have the keys and indexes that src/table.ts names, found others: ${differing.join(', ')}`,
    );
  const { StreamEnabled, StreamViewType } = found.StreamSpecification ?? {};
  return {
    arn: found.TableArn ?? tableName,
    items: found.ItemCount ?? 0,
    hasStream: StreamEnabled === true && StreamViewType === 'NEW_AND_OLD_IMAGES',
    limitation: found.MultiRegionConsistency === 'STRONG' ? withoutTransactions(tableName) : undefined,
    building: indexes.flatMap(({ IndexName, IndexStatus, Backfilling }) =>
      IndexName !== undefined && (Backfilling === true || IndexStatus === 'CREATING') ? [IndexName] : [],
    ),
  };
}

/**
 * A global table with multi-Region strong consistency rejects transactions and has no TTL. Source: AWS, "How
 * DynamoDB global tables work", multi-Region strong consistency (MRSC).
 */
function withoutTransactions(tableName: string): string {
  return `Table ${tableName} is a global table with multi-Region strong consistency, which supports neither transactions nor TTL: copies are updated, but not removed or moved, and nothing expires`;
}

async function describe(client: DynamoDBClient, tableName: string) {
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

function hasKeys(
  schema: readonly {
    readonly AttributeName?: string | undefined;
    readonly KeyType?: string | undefined;
  }[] = [],
  { pk, sk }: { readonly pk: string; readonly sk: string },
): boolean {
  const named = (type: string) => schema.find(({ KeyType }) => KeyType === type)?.AttributeName;
  return named('HASH') === pk && named('RANGE') === sk;
}
