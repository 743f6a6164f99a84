import { DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { CreateTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { settings } from '../fixtures/application/stack.ts';
import { applicationOf } from './application.ts';
import { archiveKey, objectAt } from './archive-bucket.ts';
import { clients, cloud, stack as first, application as ofFirst } from './here.ts';
import { inAWeek, incidentItems, orderItems } from './items.ts';
import { actionsOf, policyOf } from './role-policies.ts';
import { deploy, type Stack } from './stack.ts';
import { until } from './until.ts';

const TableName = 'made-by-someone-else';

describe('a second stack, of another stage, on an existing table', () => {
  let stack: Stack;
  beforeAll(async () => {
    const { TimeToLiveSpecification: _, ...definition } = settings.table;
    await clients.dynamoDb.send(
      new CreateTableCommand({
        ...definition,
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        StreamSpecification: { StreamEnabled: true, ...definition.StreamSpecification },
      }),
    );
    const { Table } = await clients.dynamoDb.send(new DescribeTableCommand({ TableName }));
    stack = await deploy(cloud, 'denorm-prod', {
      ...{ Stage: 'prod', ExistingTableName: TableName, ArchiveStorageClass: 'STANDARD_IA' },
      ExistingTableStreamArn: Table?.LatestStreamArn ?? '',
    });
  });

  it('creates no table', async () => {
    const { StackResources = [] } = await clients.cloudFormation.send(
      new DescribeStackResourcesCommand({ StackName: stack.name }),
    );
    expect(StackResources.length).toBeGreaterThan(20);
    expect(StackResources.filter(({ ResourceType }) => ResourceType === 'AWS::DynamoDB::Table')).toEqual([]);
    expect(stack.table).toBe(TableName);
  });

  it('works on that table, and archives in the configured storage class', async () => {
    const application = applicationOf(clients.application, TableName);
    const { root, said, copies } = incidentItems(2);
    await application.put({ ...root, ...said, State: 'CLOSED' }, ...copies);
    for (const copy of copies) await application.holds(copy, { State: 'CLOSED' });
    const order = orderItems(0);
    await application.put({ ...order.root, ...order.said, ExpiresAt: inAWeek() });
    const key = archiveKey('Order', order.root);
    const object = await until(`${key} stands in the archive`, () => objectAt(clients, stack, key));
    expect(object.StorageClass).toBe('STANDARD_IA');
    expect(await objectAt(clients, first, key)).toBeUndefined();
  });

  it('has DynamoDB permissions on that table only', async () => {
    for (const functionName of Object.values(stack.functions)) {
      const { statements } = await policyOf(clients, functionName);
      const ofDynamoDb = statements.filter((one) =>
        actionsOf(one).some((action) => action.startsWith('dynamodb:')),
      );
      expect(ofDynamoDb.length).toBeGreaterThan(0);
      for (const { Sid, Resource } of ofDynamoDb)
        for (const resource of [Resource].flat())
          expect(resource, Sid).toMatch(
            new RegExp(`^arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}(/|$)`),
          );
    }
  });

  it('leaves the table of the first stack alone', async () => {
    const { root, said, copies } = incidentItems(2);
    await ofFirst.put({ ...root, ...said, State: 'CLOSED' }, ...copies);
    for (const copy of copies) await ofFirst.holds(copy, { State: 'CLOSED' });
  });
});
