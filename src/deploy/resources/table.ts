import { describedTable } from '../../model/items/table-differences.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { comments, getAtt, type Properties, type Resource, ref, sub, when } from '../cloudformation.ts';

export const tableName = when('MakesTable', ref('Table'), ref('ExistingTableName'));
export const streamArn = when('MakesTable', getAtt('Table', 'StreamArn'), ref('ExistingTableStreamArn'));

export const tableArn = when('MakesTable', getAtt('Table', 'Arn'), sub(existing('')));

/** Of these indexes, or `*` for all. */
export function tableArns(kind: 'stream' | 'index', names: readonly string[]): Properties {
  const of = (table: (part: string) => string) => {
    const resources = names.map((name) => sub(table(`/${kind}/${name}`)));
    return resources.length === 1 ? resources[0] : resources;
  };
  return when(
    'MakesTable',
    of((part) => `\${Table.Arn}${part}`),
    of(existing),
  );
}

function existing(part: string): string {
  return `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/\${ExistingTableName}${part}`;
}

/** A table with the project's names. Every index holds whole items. */
export function table(names: TableNames): Resource {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = describedTable(names);
  const indexes = GlobalSecondaryIndexes.map((index) => ({
    ...index,
    Projection: { ProjectionType: 'ALL' },
  }));
  return {
    Type: 'AWS::DynamoDB::Table',
    Condition: 'MakesTable',
    // Not RetainExceptOnCreate: a rollback would fail, because the table is protected from deletion.
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions,
      KeySchema,
      GlobalSecondaryIndexes: indexes.length === 0 ? undefined : indexes,
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: names.ttl, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: when('HasTableKey', {
        SSEEnabled: true,
        SSEType: 'KMS',
        KMSMasterKeyId: ref('TableKmsKeyArn'),
      }),
      DeletionProtectionEnabled: true,
      Tags: stageTag,
      [comments]: {
        SSESpecification:
          'Without it DynamoDB encrypts with a key of its own, which is free; SSEEnabled alone chooses a key in KMS that is billed.',
      },
    },
  };
}

export const stageTag = [{ Key: 'stage', Value: ref('Stage') }];
