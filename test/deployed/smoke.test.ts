import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateAccessKeyCommand, CreateUserCommand, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import {
  GetFunctionConfigurationCommand,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../../scripts/python-tools.ts';
import type { Line, Report } from '../../scripts/smoke/lines.ts';
import { application, atStack, clients, cloud, operator, stack } from './here.ts';
import { fresh, incidentItems } from './items.ts';
import { emulatorAsks, type Statement } from './role-policies.ts';
import { cloudWatchOf } from './stack.ts';
import { until } from './until.ts';

const policy = readFileSync(new URL('../../scripts/smoke/policy.json', import.meta.url), 'utf8');

/** The policy that CONTRIBUTING.md names, for this stack. */
function documentedPolicy(): Statement[] {
  const names: Readonly<Record<string, string>> = {
    ...{ region: 'us-east-1', account: '000000000000', stack: stack.name, table: stack.table },
    'archive bucket': stack.archiveBucket,
  };
  const named = policy.replaceAll(/<([a-z ]+)>/g, (_, name: string) => names[name] ?? '');
  const { Statement }: { readonly Statement: Statement[] } = JSON.parse(named);
  return Statement;
}

/** A user who is allowed that, and nothing else. @returns what the environment says of them */
async function userWho(statements: readonly Statement[]): Promise<NodeJS.ProcessEnv> {
  const { iam } = clients;
  const UserName = `smoke-${fresh()}`;
  await iam.send(new CreateUserCommand({ UserName }));
  const PolicyDocument = JSON.stringify({
    Version: '2012-10-17',
    Statement: [...statements, ...emulatorAsks(statements)],
  });
  await iam.send(new PutUserPolicyCommand({ UserName, PolicyName: 'smoke', PolicyDocument }));
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  return {
    AWS_ACCESS_KEY_ID: AccessKey?.AccessKeyId,
    AWS_SECRET_ACCESS_KEY: AccessKey?.SecretAccessKey,
  };
}

/** Whose writes the emulator puts into the stream. */
const rules = [
  'incident-on-participations',
  'username-on-memberships',
  'order-status-keys',
  'order-on-user-order',
  'order-date-on-items',
];

let user: NodeJS.ProcessEnv;
beforeAll(async () => {
  user = await userWho(documentedPolicy());
});

/** The command as a user would give it. */
function start(args: readonly string[], more: NodeJS.ProcessEnv = user) {
  const child = spawn('npm', ['run', '-s', 'smoke', '--', ...atStack, ...args], {
    cwd: projectFolder,
    // A group of its own, as a shell gives it to each command: Ctrl-C is for the whole group.
    detached: true,
    env: { ...process.env, ...operator, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, exit] = [text(child.stdout), text(child.stderr), once(child, 'close')];
  const ended = async () => ({ code: (await exit)[0], stdout: await stdout, stderr: await stderr });
  return { interrupt: () => process.kill(-(child.pid ?? 0), 'SIGINT'), ended };
}

const run = (...args: readonly string[]) => start(args).ended();

function reportIn(stdout: string): Report {
  const report: Report = JSON.parse(stdout);
  return report;
}

function lineOf(report: Report, check: string): Line | undefined {
  return report.lines.find((line) => line.check === check);
}

/** Keys of items that any run has written. */
async function itemsOfRuns(): Promise<string[]> {
  const { Items = [] } = await clients.dynamoDb.send(
    new ScanCommand({ TableName: stack.table, ConsistentRead: true, ProjectionExpression: 'PK, SK' }),
  );
  return Items.map(({ PK, SK }) => `${PK?.S} ${SK?.S}`).filter((key) => key.includes('smoke-'));
}

/** Objects of any run, with all their versions and delete markers. */
async function objectsOfRuns(): Promise<string[]> {
  const { Versions = [], DeleteMarkers = [] } = await clients.s3.send(
    new ListObjectVersionsCommand({ Bucket: stack.archiveBucket, Prefix: 'archive/' }),
  );
  return [...Versions, ...DeleteMarkers].map(({ Key = '' }) => Key).filter((key) => key.includes('smoke-'));
}

async function switchPropagate(Enabled: boolean): Promise<void> {
  const { lambda } = clients;
  const FunctionName = stack.functions.Propagate;
  const { EventSourceMappings = [] } = await lambda.send(
    new ListEventSourceMappingsCommand({ FunctionName }),
  );
  for (const { UUID } of EventSourceMappings)
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
}

async function raiseAnAlarm(): Promise<string> {
  const { StackResourceSummaries = [] } = await clients.cloudFormation.send(
    new ListStackResourcesCommand({ StackName: stack.name }),
  );
  const [{ PhysicalResourceId: AlarmName = '' } = {}] = StackResourceSummaries.filter(
    ({ ResourceType }) => ResourceType === 'AWS::CloudWatch::Alarm',
  );
  await cloudWatchOf(cloud).send(
    new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason: 'raised by a test' }),
  );
  return AlarmName;
}

describe('npm run smoke', () => {
  it('proves a stack with the documented permissions, and leaves nothing behind', async () => {
    const { root, said } = incidentItems(0);
    await application.put({ ...root, ...said });
    const { code, stdout, stderr } = await run('--json', '--within', '60');

    expect(stderr).toBe('');
    const report = reportIn(stdout);
    expect(report.lines.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(code).toBe(0);
    const status = (check: string) => lineOf(report, check)?.status;
    for (const rule of rules) expect([rule, status(`propagation: ${rule}`)]).toEqual([rule, 'passed']);
    expect(status('removal: incident-on-participations')).toBe('passed');
    expect(lineOf(report, 'archive: an order that will expire')?.detail).toBe('in STANDARD');
    expect(lineOf(report, 'update: SET and compare NS')?.detail).toBe('taken as a statement');
    expect(lineOf(report, 'update: names that only UpdateItem takes')?.detail).toBe(
      'UpdateItem, as intended',
    );
    for (const name of ['Propagate', 'Archive', 'FanOut'])
      for (const check of ['event source', 'invocation'])
        expect([name, status(`${check} of ${name}`)]).toEqual([name, 'passed']);
    // The emulator raises no alarms, so it must not be said that all is well.
    expect(status('alarms')).toBe('unknown');

    expect(await itemsOfRuns()).toEqual([]);
    expect(await objectsOfRuns()).toEqual([]);
    await application.holds(root, said);
  });

  it('refuses a stack if a function uses S3 in AWS while DynamoDB is elsewhere', async () => {
    const { lambda } = clients;
    const FunctionName = stack.functions.Archive;
    const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    const Variables = { ...Environment?.Variables };
    const setVariables = (more: Readonly<Record<string, string>>) =>
      lambda.send(
        new UpdateFunctionConfigurationCommand({
          FunctionName,
          Environment: { Variables: { ...Variables, ...more } },
        }),
      );
    await setVariables({ AWS_ENDPOINT_URL_S3: 'https://s3.us-east-1.amazonaws.com' });
    try {
      const { code, stdout, stderr } = await run();
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/found AWS_ENDPOINT_URL_S3 of Archive .* in AWS, but .*DynamoDB .* elsewhere/);
    } finally {
      await setVariables({});
    }
  });

  it('lists what it was not allowed to remove', async () => {
    const policy = documentedPolicy().map((statement) => ({
      ...statement,
      Action: [statement.Action].flat().filter((action) => action !== 's3:DeleteObjectVersion'),
    }));
    const { code, stdout, stderr } = await start([], await userWho(policy)).ended();

    expect(code).toBe(1);
    expect(stderr).toContain('s3:DeleteObjectVersion');
    const [left = ''] = await objectsOfRuns();
    expect(stdout).toContain(`LEFT BEHIND all versions of s3://${stack.archiveBucket}/${left}`);
    expect(await itemsOfRuns()).toEqual([]);
  });

  describe('if the event source of Propagate is disabled', () => {
    beforeAll(() => switchPropagate(false));
    afterAll(() => switchPropagate(true));
    afterEach(async () => {
      expect(await itemsOfRuns()).toEqual([]);
    });

    it('fails, and says what to do', async () => {
      const AlarmName = await raiseAnAlarm();
      const { code, stdout } = await run('--within', '3');

      expect(code).toBe(1);
      expect(stdout).toMatch(/event source of Propagate +│ FAILED +│ Disabled/);
      expect(stdout).toMatch(
        /FAILED event source of Propagate: .*update-event-source-mapping --uuid \S+ --enabled/,
      );
      expect(stdout).toMatch(
        /propagation: incident-on-participations +│ FAILED +│ 2 of 2 items not as their root/,
      );
      expect(stdout).toMatch(/FAILED propagation: incident-on-participations: .*sam logs/);
      expect(stdout).toContain(`FAILED alarm ${AlarmName}: docs/runbook.md`);
    });

    it('cleans up after Ctrl-C', async () => {
      const smoke = start(['--within', '100', '--json']);
      await until('items of the run', async () => (await itemsOfRuns()).length > 40);
      smoke.interrupt();
      const { code, stdout } = await smoke.ended();

      // npm itself ends by the signal, after the command.
      expect(code).not.toBe(0);
      expect(lineOf(reportIn(stdout), 'the run')?.detail).toBe('stopped before its end');
    });
  });
});
