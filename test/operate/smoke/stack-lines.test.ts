import { expect, onTestFinished, test } from 'vitest';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { connect } from '../../../src/operate/adapters/connection.ts';
import { stackLines } from '../../../src/operate/smoke/stack-lines.ts';
import { table } from '../../../src/table.ts';
import { type ServerRequest, serverOfTest } from '../../suites/loopback-server.ts';

const stream = 'arn:aws:dynamodb:eu-west-1:1:table/app/stream/2';
const outputs = {
  TableName: 'app',
  StreamArn: stream,
  PropagateFunction: 'app-Propagate',
  FanOutFunction: 'app-FanOut',
  ...{ FanOutQueueUrl: 'https://sqs/1/fan-out', DeadLetterQueueUrl: 'https://sqs/1/dead' },
  ...{ PropagateFailureBucketName: 'failed' },
};

const key = (pk: string, sk: string) => [
  { AttributeName: pk, KeyType: 'HASH' },
  { AttributeName: sk, KeyType: 'RANGE' },
];
const indexes = Object.values(table.indexes);

const fine = {
  sources: {
    'app-Propagate': [{ State: 'Enabled', EventSourceArn: stream, LastProcessingResult: 'OK' }],
    'app-FanOut': [{ State: 'Enabled', EventSourceArn: 'arn:aws:sqs:eu-west-1:1:fan-out' }],
  } as Readonly<Record<string, readonly object[]>>,
  ttl: 'ENABLED',
  ttlName: String(table.ttl),
  recovery: 'ENABLED',
  consistency: 'EVENTUAL',
  /** Of the alarms `one` and `two`. */
  alarms: ['OK', 'OK'] as readonly string[],
  parameters: {} as Readonly<Record<string, string>>,
  archives: {} as Readonly<Record<string, string>>,
  isEmulated: false,
};

/** The lines of a stack that services describe so. */
async function linesOf(services: Partial<typeof fine>): Promise<Readonly<Record<string, string>>> {
  const { archives, sources, ttl, ttlName, recovery, consistency, alarms, parameters, isEmulated } = {
    ...fine,
    ...services,
  };
  const described: Readonly<Record<string, object>> = {
    DescribeTable: {
      Table: {
        KeySchema: key(table.pk, table.sk),
        LatestStreamArn: stream,
        MultiRegionConsistency: consistency,
        AttributeDefinitions: [table, ...indexes].flatMap(({ pk, sk }) =>
          [pk, sk].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        ),
        GlobalSecondaryIndexes: indexes.map(({ name: IndexName, pk, sk }) => {
          return { IndexName, KeySchema: key(pk, sk), Projection: { ProjectionType: 'ALL' } };
        }),
      },
    },
    DescribeTimeToLive: { TimeToLiveDescription: { TimeToLiveStatus: ttl, AttributeName: ttlName } },
    DescribeContinuousBackups: {
      ContinuousBackupsDescription: {
        ...{ ContinuousBackupsStatus: 'ENABLED' },
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: recovery },
      },
    },
    DescribeAlarms: {
      MetricAlarms: alarms.map((StateValue, at) => ({ AlarmName: ['one', 'two'][at], StateValue })),
    },
  };
  function answer({ headers, path, body }: ServerRequest): string {
    const [, action = ''] = /\.(\w+)$/.exec(String(headers['x-amz-target'] ?? '')) ?? [];
    if (described[action] !== undefined) return JSON.stringify(described[action]);
    const name = new URL(path, 'http://here').searchParams.get('FunctionName') ?? '';
    if (path.includes('event-source-mappings'))
      return JSON.stringify({ EventSourceMappings: sources[name] ?? [] });
    expect(body.toString()).toContain('Action=ListStackResources');
    const members = ['one', 'two'].map(
      (alarm) =>
        `<member><ResourceType>AWS::CloudWatch::Alarm</ResourceType><PhysicalResourceId>${alarm}</PhysicalResourceId></member>`,
    );
    return `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${members.join('')}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`;
  }
  const { endpoint } = await serverOfTest((request) => ({ status: 200, body: answer(request) }));
  const connection = connect(loopbackClientSettings(endpoint));
  onTestFinished(() => connection.close());
  const lines = await stackLines({
    ...{
      connection,
      stackName: 'app',
      outputs: { ...outputs, ...archives },
      tableName: 'app',
      table,
      isEmulated,
    },
    parameters: new Map(Object.entries(parameters)),
  });
  return Object.fromEntries(lines.map(({ check, status, detail }) => [check, `${status}: ${detail}`]));
}

const propagate = (mapping: object) => ({ sources: { ...fine.sources, 'app-Propagate': [mapping] } });

test('a stack as the template makes it is proven', async () => {
  expect(await linesOf({})).toEqual({
    'event source of Propagate': 'proven: Enabled, OK',
    'event source of FanOut': 'proven: Enabled',
    table: expect.stringMatching(/^proven: items expire by ExpiresAt, point-in-time recovery is on/),
    alarms: expect.stringMatching(/^proven: 2 of 2 are OK/),
  });
});

test.each<[string, Partial<typeof fine>, string, RegExp]>([
  [
    'an event source is disabled',
    propagate({ State: 'Disabled', EventSourceArn: stream, UUID: 'u-1' }),
    'event source of Propagate',
    /^failed: .*found Disabled: `aws lambda update-event-source-mapping --uuid u-1 --enabled`/,
  ],
  [
    'a function reads an earlier stream',
    propagate({ State: 'Enabled', EventSourceArn: 'arn:aws:dynamodb:eu-west-1:1:table/app/stream/1' }),
    'event source of Propagate',
    /^failed: expected \S+stream\/2, found \S+stream\/1: deploy again/,
  ],
  [
    'a function has no event source',
    { sources: {} },
    'event source of FanOut',
    /^failed: expected fan-out, found none/,
  ],
  [
    'invocations fail',
    propagate({
      State: 'Enabled',
      EventSourceArn: stream,
      LastProcessingResult: 'PROBLEM: Function call failed',
    }),
    'event source of Propagate',
    /^failed: PROBLEM: Function call failed: `sam logs/,
  ],
  [
    'propagation is switched off',
    { parameters: { PropagateEnabled: 'false' } },
    'event source of Propagate',
    /^off: PropagateEnabled=false$/,
  ],
  ['nothing expires', { ttl: 'DISABLED' }, 'table', /^failed: no items expire/],
  ['nothing recovers', { recovery: 'DISABLED' }, 'table', /^failed: .*recovery is off, expected both/],
  ['an emulator has no TTL', { ttl: 'DISABLED', isEmulated: true }, 'table', /^unproven: /],
  [
    'an existing table has no TTL',
    { ttl: 'DISABLED', parameters: { ExistingTableName: 'app' } },
    'table',
    /^proven: no items expire/,
  ],
  [
    'items expire by another attribute than the archive watches',
    {
      ttlName: 'ttl',
      archives: { ArchiveFunction: 'app-Archive' },
      parameters: { ArchiveEnabled: 'false', ExistingTableName: 'app' },
      isEmulated: true,
    },
    'table',
    /^failed: Expected the items of app to expire by ExpiresAt, found ttl: /,
  ],
  [
    'an existing table without an archive expires by another attribute',
    { ttlName: 'ttl', parameters: { ExistingTableName: 'app' } },
    'table',
    /^proven: items expire by ttl/,
  ],
  [
    'the table is strongly consistent',
    { consistency: 'STRONG' },
    'table',
    /^failed: .*use a table in one Region/,
  ],
  ['an alarm is raised', { alarms: ['OK', 'ALARM'] }, 'alarms', /^failed: raised: two: docs\/runbook\.md/],
  ['an alarm is gone', { alarms: ['OK'] }, 'alarms', /^failed: two are not there/],
  [
    'alarms have no data',
    { alarms: ['INSUFFICIENT_DATA', 'INSUFFICIENT_DATA'] },
    'alarms',
    /^unproven: 0 of 2 are OK/,
  ],
])('if %s, a line says so', async (_, services, check, line) => {
  expect((await linesOf(services))[check]).toMatch(line);
});
