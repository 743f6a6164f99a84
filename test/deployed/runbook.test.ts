import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CreateTableCommand, DescribeTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeExport } from '../../scripts/make-export.ts';
import { projectFolder, toolEnvironment } from '../../scripts/python-tools.ts';
import { freePort } from '../../src/dev/local-server.ts';
import { launcher } from '../cli/denorm.ts';
import { type Background, inBackground, outside, shell } from '../package/shell.ts';
import { application, clients, cloud, stack } from './here.ts';
import { incidentItems, orderItems } from './items.ts';
import { environment } from './stack.ts';
import { until } from './until.ts';

/** In place of the AWS CLI of an operator's machine. Where there is none, its commands are not run. */
const hasAwsCli = spawnSync('aws', ['--version']).status === 0;
const port = await freePort();
const { root, said, copies } = incidentItems(1);
const order = orderItems(1, 'runbook');
const secondTable = `${stack.table}-2`;

/** What the pages print, and what stands for it here. */
const placeholders: readonly (readonly [
  printed: string,
  actual: (command: string) => string | Promise<string>,
])[] = [
  ['<stack>', () => stack.name],
  ['denorm-prod', () => stack.name],
  ['<TableName>', () => stack.table],
  ['<function>', () => stack.functions.Propagate],
  ['<uuid>', mappingOfPropagate],
  ['<id>', deadLetterId],
  ['<rule>', () => 'order-date-on-items'],
  ['14:00', () => '1h'],
  ['{"PK":"acct_1#inc","SK":"inc_7"}', () => JSON.stringify({ PK: root.PK, SK: root.SK })],
  ['{"PK":"ORDER#1001","SK":"METADATA"}', () => JSON.stringify({ PK: order.root.PK, SK: order.root.SK })],
  ['npx denorm dev', () => `npx denorm dev --no-page --port ${port}`],
  ['http://127.0.0.1:8000', () => `http://127.0.0.1:${port}`],
  ['app-2', (command) => (command.includes(' restore-table') ? secondTable : secondTableMade())],
  ['--source-table-name app', () => `--source-table-name ${stack.table}`],
  ['<arn>', () => `arn:aws:dynamodb:us-east-1:000000000000:table/${stack.table}`],
  ['--diff main', () => '--diff HEAD'],
  // A tenth of three items may be none.
  ['--sample 10%', () => '--sample 100%'],
];

/** What is not run, and why. Those that MiniStack lacks are tried all the same: one that succeeds is no longer for this list. */
const notRun: readonly { readonly printed: string; readonly why: string; readonly isTried?: boolean }[] = [
  ...['wait change-set-create-complete', 'execute-change-set'].map((command) => ({
    printed: `aws cloudformation ${command} --stack-name <stack> --change-set-name recreate`,
    why: 'MiniStack ignores the deployment mode, and finds no changes',
    isTried: true,
  })),
  {
    printed: 'aws s3 cp --recursive s3://exports/AWSDynamoDB/<export ID>/ export/',
    why: 'MiniStack writes no export: this test makes the folder',
  },
  { printed: 'sam build && sam deploy', why: 'the stack of this suite is deployed so' },
  {
    printed: 'sam deploy --parameter-overrides ExistingTableName=app-2 ExistingTableStreamArn=<that ARN>',
    why: 'existing-table.test.ts deploys so',
  },
];

/** What may exit 1 here, for what other tests have left in the table: then it says what it has looked at. */
const mayFind = /^npx denorm (verify|repair|archive audit) /;
const goesOn = /^npx denorm (dev|watch)/;

const pages = ['docs/runbook.md', 'docs/operations.md'];
const printed = pages.flatMap((page) => commandsOf(readFileSync(join(projectFolder, page), 'utf8')));

let work: { readonly folder: string; remove(): void };
const running: Background[] = [];

beforeAll(async () => {
  work = outside();
  mkdirSync(join(work.folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(launcher, join(work.folder, 'node_modules/.bin/denorm'));
  makeExport(join(work.folder, 'export'), 50, (n) => {
    const { root, said, items } = orderItems(1, `${n >> 1}`);
    return items[n % 2] ?? { ...root, ...said };
  });
  const ExpiresAt = Math.floor(Date.now() / 1000) + 30 * 24 * 3600;
  await application.put(
    { ...root, ...said, ExpiresAt },
    ...copies,
    { ...order.root, ...order.said },
    ...order.items,
  );
});

afterAll(async () => {
  for (const one of running) await one.stop();
  // What the commands have changed on the stack of all tests.
  await clients.dynamoDb.send(
    new UpdateTimeToLiveCommand({
      TableName: stack.table,
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'ExpiresAt' },
    }),
  );
  await clients.lambda.send(
    new UpdateEventSourceMappingCommand({ UUID: await mappingOfPropagate(), MaximumRetryAttempts: -1 }),
  );
  work.remove();
});

describe('the commands of the runbook and of operations, as printed', () => {
  test('are found', () => {
    expect(printed.length).toBeGreaterThan(35);
  });

  test.each(notRun)('still have `$printed`, which is not run: $why', ({ printed: command }) => {
    expect(printed).toContain(command);
  });

  for (const command of printed) {
    const left = notRun.find((one) => one.printed === command);
    if (left !== undefined && left.isTried !== true) continue;
    test.skipIf(command.startsWith('aws ') && !hasAwsCli)(
      left === undefined ? `run: ${command}` : `fail here, because ${left.why}: ${command}`,
      async () => {
        const whole = await filled(command);
        if (goesOn.test(command)) return await begins(whole);
        const { code, stdout, stderr } = await shell(whole, work.folder, environmentOf(command));
        const output = `${whole}\n${stdout}\n${stderr}`;
        if (left !== undefined) return expect(code, output).not.toBe(0);
        if (mayFind.test(command) && code === 1)
          expect(stdout, output).toMatch(/^[\d,]+ items (of .* )?read/m);
        else expect(code, output).toBe(0);
      },
    );
  }
});

/** Commands that a page tells to run: the lines of its blocks, and those in its text that name their arguments. */
function commandsOf(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, lines = '']) =>
    lines.split('\n').map((line) => line.replace(/ +#.*$/, '').trim()),
  );
  const text = page.replace(/^ *```[\s\S]*?^ *```$/gm, '');
  const inline = [...text.matchAll(/`((?:npx denorm|aws) [^`]+)`/g)].map(([, command = '']) =>
    command.replace(/\s+/g, ' '),
  );
  return [...new Set([...blocks, ...inline.filter((command) => command.includes(' --'))])].filter(
    (command) => command !== '',
  );
}

async function filled(command: string): Promise<string> {
  let whole = command;
  for (const [text, actual] of placeholders)
    if (whole.includes(text)) whole = whole.replaceAll(text, await actual(command));
  expect(whole, 'a placeholder that this test does not know').not.toMatch(/<[A-Za-z][^>]*>/);
  return whole;
}

function environmentOf(command: string): NodeJS.ProcessEnv {
  const DENORM_CONFIG = join(projectFolder, 'denorm.config.ts');
  const tools = toolEnvironment({ DENORM_CONFIG, NODE_OPTIONS: undefined });
  // A rehearsal is at a table of this machine.
  if (/denorm dev|:8000/.test(command)) return tools;
  return { ...tools, ...environment(cloud), NODE_EXTRA_CA_CERTS: cloud.certificate };
}

async function begins(command: string): Promise<void> {
  const one = inBackground(command, work.folder, environmentOf(command));
  running.push(one);
  await until(command, async () => /^(ready|DynamoDB|endpoint|table)/im.test(one.stdout()), 60_000);
}

async function mappingOfPropagate(): Promise<string> {
  const { EventSourceMappings = [] } = await clients.lambda.send(
    new ListEventSourceMappingsCommand({ FunctionName: stack.functions.Propagate }),
  );
  return EventSourceMappings[0]?.UUID ?? expect.fail('no mapping of Propagate');
}

/** A dead letter of its own: commands remove it. */
async function deadLetterId(): Promise<string> {
  const key = { PK: order.root.PK, SK: `RUNBOOK#${randomUUID()}` };
  const message = {
    rule: 'order-date-on-items',
    root: { pk: key.PK, sk: key.SK },
    cause: 'changed',
    attempts: 0,
  };
  const MessageBody = JSON.stringify({ code: 'attempts.exceeded', reason: 'Gave up', message });
  await clients.sqs.send(new SendMessageCommand({ QueueUrl: stack.deadLetterQueue, MessageBody }));
  return `'${JSON.stringify(key)}'`;
}

/** Unless a restore has made it, a table like that of the stack, without items. */
async function secondTableMade(): Promise<string> {
  const TableName = secondTable;
  const { Table } = await clients.dynamoDb.send(new DescribeTableCommand({ TableName: stack.table }));
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = Table ?? {};
  const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
    ...{ IndexName, KeySchema, Projection },
  }));
  await clients.dynamoDb
    .send(
      new CreateTableCommand({
        ...{ TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema, AttributeDefinitions },
        GlobalSecondaryIndexes: indexes,
      }),
    )
    .catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'ResourceInUseException') throw error;
    });
  return TableName;
}
