import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../../scripts/python-tools.ts';
import { applicationOf } from '../deployed/application.ts';
import { orderItems } from '../deployed/items.ts';
import { type MiniStack, startMiniStack } from '../deployed/ministack.ts';
import { type Clients, clientsOf, environment, outputsAllowed } from '../deployed/stack.ts';
import { settings } from '../fixtures/application/stack.ts';
import { succeeds } from '../package/shell.ts';

const TableName = 'orders-of-cdk';
const stackName = 'shop-by-cdk';
/** Below the folder that CDK is installed in, where the package and the app find it. */
const folder = join(projectFolder, '.aws-sam/cdk/packed');
const app = join(folder, 'app');
let ministack: MiniStack;
let clients: Clients;

/** As a user types it. */
const typed = (command: string) =>
  succeeds(command, app, {
    ...environment(ministack),
    NODE_EXTRA_CA_CERTS: ministack.certificate,
    CI: 'true',
  });

/** The example of the page, in an app with a table that exists. */
function appOf(tableArn = '', tableStreamArn = ''): string {
  const page = readFileSync(join(projectFolder, 'docs/existing-stacks.md'), 'utf8');
  const [, imports = '', made = ''] =
    /```ts\n(import [\s\S]*?)\n\n\/\/ in the constructor of your stack\n([\s\S]*?)```/.exec(page) ?? [];
  return `import { App } from 'aws-cdk-lib';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Topic } from 'aws-cdk-lib/aws-sns';
${imports}
class Shop extends Stack {
  constructor(scope: App, props: StackProps) {
    super(scope, '${stackName}', props);
    const topic = new Topic(this, 'Alarms');
    const table = Table.fromTableAttributes(this, 'Orders', ${JSON.stringify({ tableArn, tableStreamArn })});
    ${made}
  }
}
new Shop(new App(), { env: { account: '000000000000', region: 'us-east-1' } });
`;
}

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const tarball = await succeeds(`npm pack --silent --pack-destination '${folder}'`, projectFolder);
  await succeeds(`npm i --prefer-offline --ignore-scripts ./${tarball}`, folder);
  await succeeds('npx stream-denormalizer init app --sample shop', folder);
  ministack = await startMiniStack();
  clients = clientsOf(ministack);
  const { TimeToLiveSpecification: _, StreamSpecification, ...definition } = settings.table;
  await clients.dynamoDb.send(
    new CreateTableCommand({
      ...{ ...definition, TableName, BillingMode: 'PAY_PER_REQUEST' },
      StreamSpecification: { StreamEnabled: true, ...StreamSpecification },
    }),
  );
  const { Table } = await clients.dynamoDb.send(new DescribeTableCommand({ TableName }));
  mkdirSync(join(app, 'bin'));
  writeFileSync(join(app, 'bin/app.ts'), appOf(Table?.TableArn, Table?.LatestStreamArn));
  writeFileSync(join(app, 'cdk.json'), '{ "app": "node bin/app.ts" }');
});

afterAll(async () => {
  await ministack.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('`cdk deploy` makes the copies of an existing table follow their root', async () => {
  await typed('npx cdk bootstrap aws://000000000000/us-east-1');
  await typed('npx cdk deploy --require-approval never');
  const output = await outputsAllowed(ministack, stackName);
  const { root, said, userOrder, userSaid } = orderItems(0);
  const orders = applicationOf(clients.application, output('TableName'));
  await orders.put({ ...userOrder, ...userSaid }, { ...root, ...said, Status: 'SHIPPED' });

  await orders.holds(userOrder, { Status: 'SHIPPED' });
});

test('commands find the stack by its name', async () => {
  expect(await typed(`npx denorm dlq list --stack ${stackName}`)).toContain('No failures in ');
});
