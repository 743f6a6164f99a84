import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import shipped from '../../denorm.config.ts';
import { arnOf, ref, sub } from '../../src/deploy/cloudformation.ts';
import { filterPatterns } from '../../src/deploy/needs/mapping-filters.ts';
import { plainStack } from '../../src/deploy/plain-stack.ts';
import { type StackModel, stackModel } from '../../src/deploy/stack-model.ts';
import { patternsOf, stackSettings } from '../../src/deploy/stack-settings.ts';
import type { Config } from '../../src/model/rules/config.ts';
import type { Registry } from '../../src/model/rules/registry.ts';
import { archiveOnly, blog, everything, manyKinds } from './configs.ts';
import { existing, ofType, propertiesOf } from './plain.ts';

const registryOf = (config: Config): Registry => config.registry({ disabled: [] });
const stackOf = (config: Config): StackModel => stackModel(registryOf(config), config);
const eightKinds = manyKinds(8);
const configs = [
  ['that of the repository', shipped],
  ['a blog without an archive', blog],
  ['everything', everything],
  ['an archive without a sweep', archiveOnly],
  ['eight kinds', eightKinds],
] as const;

describe.each(configs)('the stack of %s', (_, config) => {
  test('has the filters of its rules', () => {
    const patterns = filterPatterns(registryOf(config), 'Propagate');
    // A mapping without filters would pass everything.
    const orNone = patterns.length > 0 ? patterns : [{ eventName: ['none'] }];
    expect(patternsOf(stackSettings(stackOf(config)).Propagate)).toEqual(orNone);
  });
});

test('the table has the names of the config, each attribute defined once', () => {
  expect(stackSettings(stackOf(everything)).table).toEqual({
    AttributeDefinitions: ['pk', 'sk', 'authorKey', 'authorSort', 'dateKey', 'dateSort'].map(
      (AttributeName) => ({ AttributeName, AttributeType: 'S' }),
    ),
    KeySchema: keySchema('pk', 'sk'),
    GlobalSecondaryIndexes: [
      ['by-author', 'authorKey', 'authorSort'],
      ['by-date', 'dateKey', 'dateSort'],
    ].map(([IndexName, pk = '', sk = '']) => ({
      ...{ IndexName, KeySchema: keySchema(pk, sk), Projection: { ProjectionType: 'ALL' } },
    })),
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    TimeToLiveSpecification: { AttributeName: 'expires' },
  });
  expect(stackOf(archiveOnly).Resources['Table']?.Properties['GlobalSecondaryIndexes']).toBeUndefined();
});

const keySchema = (pk: string, sk: string) => [
  { AttributeName: pk, KeyType: 'HASH' },
  { AttributeName: sk, KeyType: 'RANGE' },
];

describe('functions', () => {
  const functionsOf = (config: Config) => Object.keys(ofType('AWS::Lambda::Function', config));

  test('that no rule uses are left out with all that is theirs', () => {
    expect(JSON.stringify(stackOf(blog))).not.toMatch(/Archive|Sweep|archiv|sweep/);
    expect(JSON.stringify(stackOf(archiveOnly))).not.toMatch(/Sweep|Erases|ArchiveErase/);
    expect(functionsOf(blog)).toEqual(['Propagate', 'FanOut', 'Verify', 'Heartbeat']);
    expect(functionsOf(archiveOnly)).toEqual(['Propagate', 'Archive', 'FanOut', 'Verify', 'Heartbeat']);
    expect(functionsOf(everything)).toEqual([
      ...['Propagate', 'Archive', 'FanOut', 'Sweep', 'Verify', 'Heartbeat'],
    ]);
  });

  test('Heartbeat is not made if it is off, nor anything of it', () => {
    const madeOf = (given = {}) => Object.keys(plainStack(everything, given).Resources).join();

    expect(madeOf().match(/[A-Za-z]*(Heartbeat|Paused)[A-Za-z]*/g)).toEqual([
      ...['Heartbeat', 'HeartbeatTimer', 'HeartbeatTimerPermission', 'HeartbeatEventInvokeConfig'],
      ...['HeartbeatRole', 'HeartbeatLog', 'HeartbeatOverdueAlarm', 'HeartbeatLostAlarm', 'RulePausedAlarm'],
    ]);
    expect(madeOf({ HeartbeatEnabled: 'false' })).not.toMatch(/Heartbeat|Paused/);
  });

  test('Heartbeat learns which readers of the stream are on, those that the stack has', () => {
    const variablesOf = (config: Config, given = {}) =>
      z
        .object({ Environment: z.object({ Variables: z.looseObject({}) }) })
        .parse(propertiesOf('Heartbeat', config, given)).Environment.Variables;

    expect(variablesOf(everything, { PropagateEnabled: 'false' })).toMatchObject({
      ...{ PROPAGATE_ENABLED: 'false', ARCHIVE_ENABLED: 'true', HEARTBEAT_DELAY_SECONDS: 360 },
    });
    expect(variablesOf(blog)).not.toHaveProperty('ARCHIVE_ENABLED');
  });

  test('of disabled rules stay, and DisabledRules has them as its default', () => {
    expect(stackOf(archiveOnly).Parameters['DisabledRules']?.Default).toBe('archive-posts');
    expect(stackOf(blog).Parameters['DisabledRules']?.Default).toBe('');
  });

  test('get the parameters of the config in their environment, all of them', () => {
    const { Globals, Parameters } = stackOf(everything);

    expect(Parameters['Shards']).toEqual({
      ...{ Type: 'Number', Default: 2, MinValue: 1, MaxValue: 8, Description: 'Partitions of an index' },
    });
    expect(Globals).toMatchObject({ Function: { Environment: { Variables: { SHARDS: ref('Shards') } } } });
  });
});

describe('before it creates anything, a stack', () => {
  test.each<[string, Config, Record<string, string>, RegExp?]>([
    ['half of an existing table', everything, { ExistingTableName: 'app' }, /Set both ExistingTableName and/],
    [
      'a sweep without Archive',
      everything,
      { SweepEnabled: 'true', ArchiveEnabled: 'false' },
      /SweepEnabled requires/,
    ],
    [
      'two readers of a replica',
      everything,
      { ...existing, GlobalTableReplica: 'true' },
      /GlobalTableReplica allows one reader/,
    ],
    ['the defaults', everything, {}],
    ['an existing table', everything, existing],
    ['a replica that Propagate reads', everything, { GlobalTableReplica: 'true', ArchiveEnabled: 'false' }],
    ['a replica that Archive reads', everything, { GlobalTableReplica: 'true', PropagateEnabled: 'false' }],
    ['a replica where nothing is archived', blog, { GlobalTableReplica: 'true' }],
  ])('judges %s', (_, config, parameters, refusal) => {
    const deploy = () => plainStack(config, parameters);
    if (refusal === undefined) expect(deploy).not.toThrow();
    else expect(deploy).toThrow(refusal);
  });
});

describe('a mapping of the stream', () => {
  test.each(['Propagate', 'Archive'])('for %s keeps and counts the records that Lambda gives up', (name) => {
    expect(propertiesOf(`${name}Stream`, everything)).toMatchObject({
      MetricsConfig: { Metrics: ['EventCount'] },
      DestinationConfig: { OnFailure: { Destination: arnOf(`${name}FailureBucket`) } },
    });
  });

  test('for Propagate gathers changes for a second, or for the time in a parameter', () => {
    const windowOf = (given = {}) =>
      propertiesOf('PropagateStream', everything, given)['MaximumBatchingWindowInSeconds'];

    expect([windowOf(), windowOf({ PropagateWindowSeconds: '0' })]).toEqual([1, 0]);
  });
});

test('the dashboard shows what the stack has, without gaps', () => {
  const places = (config: Config) => {
    const sub = z.object({ 'Fn::Sub': z.string() });
    const { Properties } = stackOf(config).Resources['Dashboard'] ?? expect.fail('no dashboard');
    const { widgets } = z
      .object({ widgets: z.array(z.object({ x: z.number(), y: z.number() })) })
      .parse(JSON.parse(sub.parse(Properties['DashboardBody'])['Fn::Sub']));
    return widgets.map(({ x, y }) => [x, y]);
  };

  expect(places(everything)).toHaveLength(20);
  const full = [0, 6, 12, 18, 24].flatMap((y) => [0, 8, 16].map((x) => [x, y]));
  expect(places(blog)).toEqual([...full, [0, 30], [8, 30], [16, 30]]);
  // Names are unique in an account.
  expect(propertiesOf('Dashboard', blog)['DashboardName']).toEqual(sub(`\${AWS::StackName}-\${AWS::Region}`));
});
