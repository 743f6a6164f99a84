import { tmpdir } from 'node:os';
import { CreateTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { functionNames } from '../../src/deploy/functions.ts';
import { run } from '../cli/denorm.ts';
import { applicationOf } from '../deployed/application.ts';
import { incidentItems } from '../deployed/items.ts';
import { type MiniStack, startMiniStack } from '../deployed/ministack.ts';
import { type Clients, clientsOf, deployTemplate, environment } from '../deployed/stack.ts';
import { settings } from '../fixtures/application/stack.ts';
import { codeOf, synthesized } from './stack.ts';
import { zipped } from './zipped.ts';

const TableName = 'orders-of-cdk';
const stackName = 'shop-by-cdk';
let ministack: MiniStack;
let clients: Clients;

beforeAll(async () => {
  ministack = await startMiniStack();
  clients = clientsOf(ministack);
  const { TimeToLiveSpecification: _, StreamSpecification, ...definition } = settings.table;
  await clients.dynamoDb.send(
    new CreateTableCommand({
      ...{ ...definition, TableName, BillingMode: 'PAY_PER_REQUEST' },
      StreamSpecification: { StreamEnabled: true, ...StreamSpecification },
    }),
  );
  const { Table: described } = await clients.dynamoDb.send(new DescribeTableCommand({ TableName }));
  const { Resources, folder, file } = synthesized(stackName, (stack) => ({
    table: Table.fromTableAttributes(stack, 'Orders', {
      tableArn: described?.TableArn ?? '',
      tableStreamArn: described?.LatestStreamArn ?? '',
    }),
    parameters: { RecheckDelaySeconds: 1 },
  }));
  // As `cdk bootstrap` and `cdk deploy` would.
  const codes = functionNames.map((name) => codeOf(Resources[name] ?? expect.fail(name), folder));
  await clients.s3.send(new CreateBucketCommand({ Bucket: codes[0]?.S3Bucket }));
  for (const { S3Bucket: Bucket, S3Key: Key, path } of codes)
    await clients.s3.send(new PutObjectCommand({ Bucket, Key, Body: await zipped(path) }));
  await deployTemplate(ministack, stackName, file);
});

afterAll(() => ministack.stop());

test('the copies of an existing table follow their root', async () => {
  const application = applicationOf(clients.application, TableName);
  const { root, said, copies } = incidentItems(3);
  await application.put({ ...root, ...said }, ...copies);
  await application.put({ ...root, ...said, State: 'CLOSED' });
  for (const copy of copies) await application.holds(copy, { State: 'CLOSED' });
});

test('commands find the stack by its name', async () => {
  const env = {
    ...environment(ministack),
    NODE_EXTRA_CA_CERTS: ministack.certificate,
    AWS_ENDPOINT_URL: undefined,
  };
  const at = ['--stack', stackName, '--endpoint', ministack.endpoint];

  expect(await run(['dlq', 'list', ...at], tmpdir(), env)).toMatchObject({ code: 0, stderr: '' });
});
