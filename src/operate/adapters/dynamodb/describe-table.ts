import {
  type AttributeDefinition,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type TableDescription as TableKeysDescription,
} from '@aws-sdk/client-dynamodb';
import { DenormError } from '../../../model/errors.ts';
import { type KeyNames, keyParts, type TableNames } from '../../../model/table-names.ts';
import { asked, awsCode, fromAws } from '../../../worker/adapters/aws-errors.ts';

export interface TableDescription {
  /** Distinguishes tables of the same name in different accounts or regions. */
  readonly arn: string;
  /** DynamoDB's item count, which is updated about every six hours. */
  readonly items: number;
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
  const differences = keyDifferences(table, found);
  if (differences.length > 0)
    throw new DenormError(
      'table.other-shape',
      `Expected table ${tableName} to have the keys and indexes that src/table.ts names, each with one string for its partition key and one for its sort key, found others (${differences.join('; ')}): correct the names, or use another index`,
    );
  const { StreamEnabled, StreamViewType } = found.StreamSpecification ?? {};
  return {
    arn: found.TableArn ?? tableName,
    items: found.ItemCount ?? 0,
    hasStream: StreamEnabled === true && StreamViewType === 'NEW_AND_OLD_IMAGES',
    limitation: found.MultiRegionConsistency === 'STRONG' ? withoutTransactions(tableName) : undefined,
    building: (found.GlobalSecondaryIndexes ?? []).flatMap(({ IndexName, IndexStatus }) =>
      IndexName !== undefined && IndexStatus === 'CREATING' ? [IndexName] : [],
    ),
  };
}

/** Needs `dynamodb:DescribeTable`. @throws DenormError `table.unknown` or, if the table has no stream, `table.no-stream` */
export async function streamOf(client: DynamoDBClient, tableName: string): Promise<string> {
  const { LatestStreamArn, StreamSpecification } = await describe(client, tableName);
  if (LatestStreamArn !== undefined && StreamSpecification?.StreamEnabled !== false) return LatestStreamArn;
  throw new DenormError(
    'table.no-stream',
    `Expected table ${tableName} to have a stream, found none: enable one with NEW_AND_OLD_IMAGES`,
  );
}

/** The attribute by which items expire, if any do. Needs `dynamodb:DescribeTimeToLive` and `dynamodb:DescribeContinuousBackups`. */
export async function expiryAndRecovery(client: DynamoDBClient, TableName: string) {
  const { TimeToLiveDescription } = await asked(
    `DescribeTimeToLive (dynamodb:DescribeTimeToLive) of ${TableName}`,
    () => client.send(new DescribeTimeToLiveCommand({ TableName })),
  );
  const { ContinuousBackupsDescription } = await asked(
    `DescribeContinuousBackups (dynamodb:DescribeContinuousBackups) of ${TableName}`,
    () => client.send(new DescribeContinuousBackupsCommand({ TableName })),
  );
  const { TimeToLiveStatus, AttributeName } = TimeToLiveDescription ?? {};
  const { PointInTimeRecoveryStatus } = ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  return {
    expiry: TimeToLiveStatus?.startsWith('ENABL') ? AttributeName : undefined,
    recovers: PointInTimeRecoveryStatus === 'ENABLED',
  };
}

/** Source: AWS, "How DynamoDB global tables work", multi-Region strong consistency (MRSC). */
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

type TableKeys = Partial<
  Pick<TableKeysDescription, 'KeySchema' | 'AttributeDefinitions' | 'GlobalSecondaryIndexes'>
>;

/** Between a table and the names that the rules use, a phrase for each; additional indexes are ignored. */
function keyDifferences(names: TableNames, table: TableKeys): readonly string[] {
  const keys = (schema: readonly Partial<KeySchemaElement>[] | undefined) =>
    keyText(schema, table.AttributeDefinitions);
  return [
    difference('key', keys(table.KeySchema), keysOf(names)),
    ...Object.values(names.indexes).flatMap((index) => {
      const found = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.name);
      if (found === undefined) return `no index ${index.name}`;
      const projection = found.Projection?.ProjectionType ?? 'unknown';
      return [
        difference(`index ${index.name} with key`, keys(found.KeySchema), keysOf(index)),
        difference(`index ${index.name} with projection`, projection, index.projection ?? projection),
      ];
    }),
  ].filter((text) => text !== undefined);
}

/** A key with its types, partition key before sort key: `PK (S) and SK (N)`, `Tenant (S) + Region (S) and At (N)`. */
export function keyText(
  schema: readonly Partial<KeySchemaElement>[] = [],
  types: readonly Partial<AttributeDefinition>[] = [],
): string {
  const typeOf = (name: string | undefined) =>
    types.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? '?';
  return ['HASH', 'RANGE']
    .map((type) => schema.filter(({ KeyType }) => KeyType === type))
    .filter((parts) => parts.length > 0)
    .map((parts) =>
      parts.map(({ AttributeName }) => `${AttributeName} (${typeOf(AttributeName)})`).join(' + '),
    )
    .join(' and ');
}

function keysOf(names: KeyNames): string {
  const { pk, sk } = keyParts(names);
  return [pk, sk]
    .filter((parts) => parts.length > 0)
    .map((parts) => parts.map(({ name, type }) => `${name} (${type})`).join(' + '))
    .join(' and ');
}

export function difference(what: string, found: string, expected: string): string | undefined {
  return found === expected ? undefined : `${what} ${found} instead of ${expected}`;
}
