import { readFileSync } from 'node:fs';
import { ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateAccessKeyCommand, CreateUserCommand, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import shipped from '../../denorm.config.ts';
import type { Line } from '../../src/operate/smoke/smoke-test.ts';
import { start } from '../cli/denorm.ts';
import { newFolder } from '../suites/new-folder.ts';
import { application, atStack, clients, cloud, operator, stack } from './here.ts';
import { fresh, incidentItems } from './items.ts';
import { actionsOf, allow, emulatorAsks, policyOf, type Statement } from './role-policies.ts';
import { cloudWatchOf } from './stack.ts';
import { until } from './until.ts';

const policy = readFileSync(new URL('../../docs/smoke-policy.json', import.meta.url), 'utf8');

/** The policy that docs/deploy.md names, for this stack. */
function documentedPolicy(): Statement[] {
  const names: Readonly<Record<string, string>> = {
    ...{ region: 'us-east-1', account: '000000000000', stack: stack.name, table: stack.table },
    'archive bucket': stack.archiveBucket,
    'dead-letter queue': `arn:aws:sqs:us-east-1:000000000000:${stack.deadLetterQueue.split('/').at(-1)}`,
  };
  const named = policy.replaceAll(/<([a-z -]+)>/g, (_, name: string) => names[name] ?? '');
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
  return { AWS_ACCESS_KEY_ID: AccessKey?.AccessKeyId, AWS_SECRET_ACCESS_KEY: AccessKey?.SecretAccessKey };
}

interface Report {
  readonly passed: boolean;
  readonly lines: readonly Line[];
}

let user: NodeJS.ProcessEnv;
beforeAll(async () => {
  user = await userWho(documentedPolicy());
});

/** The command as a user would give it. */
const smoke = (args: readonly string[], more: NodeJS.ProcessEnv = user) =>
  start(['smoke', ...atStack, ...args], newFolder(), { ...operator, ...more });

async function run(...args: readonly string[]) {
  const command = smoke(args);
  const code = await command.exited;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

function detailIn(stdout: string, check: string): string | undefined {
  const { lines }: Report = JSON.parse(stdout).summary;
  return lines.find((line) => line.check === check)?.detail;
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

describe('denorm smoke', () => {
  it('proves every rule with the documented permissions, and leaves nothing behind', async () => {
    const { root, said } = incidentItems(0);
    await application.put({ ...root, ...said });
    const { code, stdout, stderr } = await run('--json', '--within', '60');

    expect(stderr).toBe('');
    const { passed, lines }: Report = JSON.parse(stdout).summary;
    expect(lines.filter(({ status }) => status === 'failed')).toEqual([]);
    expect([code, passed]).toEqual([0, true]);
    const proven = lines.filter(({ of, status }) => of === 'rule' && status === 'proven');
    const { rules, aggregates, archives } = shipped.registry();
    expect(proven.map(({ check }) => check).sort()).toEqual(
      [...rules, ...aggregates, ...archives].map(({ name }) => name).sort(),
    );
    expect(detailIn(stdout, 'incident-on-participations')).toMatch(/creation .*change .*removal/);
    // The emulator raises no alarms, and has no TTL: it must not be said that all is well.
    expect(lines.filter(({ status }) => status === 'unproven').map(({ check }) => check)).toEqual([
      'table',
      'alarms',
    ]);

    expect(await itemsOfRuns()).toEqual([]);
    expect(await objectsOfRuns()).toEqual([]);
    await application.holds(root, said);
  });

  it('prints within seconds what a function lacks, and waits for nothing', async () => {
    const policy = await policyOf(clients, stack.functions.Propagate);
    const without = policy.statements.map((statement) => ({
      ...statement,
      Action: actionsOf(statement).filter((action) => action !== 'dynamodb:PartiQLUpdate'),
    }));
    await allow(clients, policy, without);
    try {
      const { code, stdout } = await run('--within', '600');
      expect(code).toBe(1);
      expect(stdout).toMatch(/failed +invocation of Propagate: .*BatchExecuteStatement on table/);
      expect(stdout).toMatch(/unproven +incident-on-participations: not tried/);
    } finally {
      await allow(clients, policy, policy.statements);
    }
    expect(await itemsOfRuns()).toEqual([]);
  });

  it('lists what it was not allowed to remove', async () => {
    const policy = documentedPolicy().map((statement) => ({
      ...statement,
      Action: [statement.Action].flat().filter((action) => action !== 's3:DeleteObjectVersion'),
    }));
    const command = smoke([], await userWho(policy));

    expect(await command.exited).toBe(1);
    expect(command.stderr()).toContain('s3:DeleteObjectVersion');
    const left = await objectsOfRuns();
    expect(left).not.toEqual([]);
    for (const object of left) expect(command.stderr()).toContain(`left behind: all versions of ${object}: `);
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
      expect(stdout).toMatch(
        /failed +event source of Propagate: .*Disabled: .*update-event-source-mapping --uuid \S+ --enabled/,
      );
      expect(stdout).toMatch(
        /failed +incident-on-participations: after its change, not as expected: .*Propagate accepts these changes when it is invoked/,
      );
      expect(stdout).toMatch(`alarms: raised: ${AlarmName}: docs/runbook.md`);
    });

    it('cleans up after Ctrl-C', async () => {
      const command = smoke(['--within', '100', '--json']);
      await until('items of the run', async () => (await itemsOfRuns()).length > 40);
      command.process.kill('SIGINT');

      expect(await command.exited).toBe(1);
      expect(command.stderr()).toContain('stopped before its end');
      expect(JSON.parse(command.stdout()).summary).toMatchObject({ passed: false, leftBehind: [] });
    });
  });
});
