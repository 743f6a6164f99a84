import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import shipped from '../../denorm.config.ts';
import { arnOf, type Properties, type Resource, ref } from '../../src/deploy/cloudformation.ts';
import { evaluator } from '../../src/deploy/evaluator.ts';
import { filterPatterns } from '../../src/deploy/mapping-filters.ts';
import { type StackModel, stackModel } from '../../src/deploy/stack-model.ts';
import { patternsOf, stackSettings } from '../../src/deploy/stack-settings.ts';
import { defaultStorageClass, storageClasses } from '../../src/model/archive-rule.ts';
import { type Config, defineConfig } from '../../src/model/config.ts';
import type { Registry } from '../../src/model/registry.ts';
import { clubTotals } from '../fixtures/league/league.ts';
import { table as modelTable } from '../fixtures/model/table.ts';
import { archiveOnly, blog, clearing, creating, everything, manyKinds } from './configs.ts';
import { looseEnds } from './references.ts';

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
  const stack = stackOf(config);

  test('refers to nothing that it lacks, and has no parameter or condition that it does not use', () => {
    expect(looseEnds(stack)).toEqual([]);
  });

  test('allows no function to put items, or any action of a service', () => {
    const actions = Object.values(statements(stack))
      .flatMap((of) => Object.values(of))
      .flatMap(({ actions: all }) => all);

    expect(actions.length).toBeGreaterThan(20);
    expect(actions.filter((action) => /PutItem|\*/.test(action))).toEqual([]);
  });

  test('has the filters of its rules', () => {
    expect(patternsOf(stackSettings(stack).Propagate)).toEqual(
      filterPatterns(registryOf(config), 'Propagate'),
    );
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
  const functionsOf = (config: Config) => Object.keys(ofType(stackOf(config), 'AWS::Serverless::Function'));

  test('that no rule uses are left out with all that is theirs', () => {
    expect(JSON.stringify(stackOf(blog))).not.toMatch(/Archive|Sweep|archiv|sweep/);
    expect(JSON.stringify(stackOf(archiveOnly))).not.toMatch(/Sweep|Erases|ArchiveErase/);
    expect(functionsOf(blog)).toEqual(['Propagate', 'FanOut', 'Verify']);
    expect(functionsOf(archiveOnly)).toEqual(['Propagate', 'Archive', 'FanOut', 'Verify']);
    expect(functionsOf(everything)).toEqual(['Propagate', 'Archive', 'FanOut', 'Sweep', 'Verify']);
  });

  test('of disabled rules stay, and DisabledRules has them as its default', () => {
    expect(stackOf(archiveOnly).Parameters['DisabledRules']?.Default).toBe('archive-posts');
    expect(stackOf(blog).Parameters['DisabledRules']?.Default).toBe('');
  });

  test('archive in any class that a rule may name', () => {
    expect(stackOf(everything).Parameters['ArchiveStorageClass']).toMatchObject({
      ...{ AllowedValues: storageClasses, Default: defaultStorageClass },
    });
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
  const table = { ExistingTableName: 'app', ExistingTableStreamArn: 'arn' };

  test.each<[string, Config, Record<string, string>, RegExp?]>([
    [
      'half of an existing table',
      everything,
      { ExistingTableName: 'app' },
      /^Set both ExistingTableName and/,
    ],
    [
      'a sweep without Archive',
      everything,
      { SweepEnabled: 'true', ArchiveEnabled: 'false' },
      /^SweepEnabled requires/,
    ],
    [
      'two readers of a replica',
      everything,
      { ...table, GlobalTableReplica: 'true' },
      /^GlobalTableReplica allows one reader/,
    ],
    ['the defaults', everything, {}],
    ['an existing table', everything, table],
    ['a replica that Propagate reads', everything, { GlobalTableReplica: 'true', ArchiveEnabled: 'false' }],
    ['a replica that Archive reads', everything, { GlobalTableReplica: 'true', PropagateEnabled: 'false' }],
    ['a replica where nothing is archived', blog, { GlobalTableReplica: 'true' }],
  ])('judges %s', (_, config, parameters, refusal) => {
    expect(refusals(stackOf(config), parameters)).toEqual(
      refusal === undefined ? [] : [expect.stringMatching(refusal)],
    );
  });
});

const rules = z.record(
  z.string(),
  z.object({
    RuleCondition: z.unknown().optional(),
    Assertions: z.array(z.object({ Assert: z.unknown(), AssertDescription: z.string() })),
  }),
);

/** What CloudFormation says against these parameters. */
function refusals(
  { Parameters, Conditions, Rules }: StackModel,
  parameters: Readonly<Record<string, string>>,
): string[] {
  const defaults = Object.entries(Parameters).map(([name, { Default = '' }]) => [name, Default] as const);
  const { holds } = evaluator(Conditions, new Map([...defaults, ...Object.entries(parameters)]));
  return Object.values(rules.parse(Rules))
    .filter(({ RuleCondition }) => RuleCondition === undefined || holds(RuleCondition))
    .flatMap(({ Assertions }) => Assertions.filter(({ Assert }) => !holds(Assert)))
    .map(({ AssertDescription }) => AssertDescription);
}

describe('the policy of', () => {
  const of = (config: Config) => statements(stackOf(config));
  const league = (members = clubTotals.members) =>
    defineConfig({ table: modelTable, rules: [], aggregates: [{ ...clubTotals, members }] });
  const updating = ['dynamodb:UpdateItem', 'dynamodb:PartiQLUpdate'];
  const index = (name: string) => [`\${Table.Arn}/index/${name}`, existing(`/index/${name}`)];
  const existing = (part: string) =>
    `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/\${ExistingTableName}${part}`;

  test.each(['Propagate', 'FanOut'])('%s names only the indexes and actions that rules need', (name) => {
    const least = of(blog)[name];
    expect(least?.['ReadRootsAndCopies']?.actions).toEqual(['dynamodb:GetItem', 'dynamodb:BatchGetItem']);
    expect(least?.['LocateCopies']?.resources).toEqual(index('by-author'));
    expect(least?.['WriteCopies']?.actions).toEqual(updating);
    expect(least).not.toHaveProperty('CheckRoots');

    const most = of(everything)[name];
    expect(most?.['ReadRootsAndCopies']?.actions).toContain('dynamodb:Query');
    expect(most?.['LocateCopies']?.resources).toEqual(index('by-author'));
    expect(most?.['WriteCopies']?.actions).toEqual([...updating, 'dynamodb:DeleteItem']);

    expect(of(creating)[name]?.['WriteCopies']?.actions).toEqual([...updating, 'dynamodb:PutItem']);
    expect(of(clearing)[name]?.['WriteCopies']?.actions).toEqual(updating);
    for (const checking of [most, of(creating)[name], of(clearing)[name]])
      expect(checking?.['CheckRoots']?.actions).toEqual(['dynamodb:ConditionCheckItem']);
    expect(of(clearing)[name]?.['LocateCopies']?.resources.toSorted()).toEqual(
      [...index('by-author'), ...index('by-editor')].toSorted(),
    );
    expect(of(archiveOnly)[name]).not.toHaveProperty('LocateCopies');
  });

  test('each function that writes is on condition of the partition keys that rules write', () => {
    const ofKeys = (...patterns: string[]) => ({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
    });
    for (const name of ['Propagate', 'FanOut']) {
      expect(of(blog)[name]?.['WriteCopies']?.condition).toEqual(ofKeys('post/*'));
      expect(of(blog)[name]?.['ReadRootsAndCopies']?.condition).toBeUndefined();
      expect(of(everything)[name]?.['CheckRoots']?.condition).toBeUndefined();
      expect(of(league())[name]?.['WriteCopies']?.condition).toEqual(
        ofKeys(clubTotals.on.pkPattern.pattern.replace(/\{\w+\}/g, '*')),
      );
    }
    expect(of(everything)['Sweep']?.['GiveExpiry']?.condition).toEqual(ofKeys('post/*', 'author/*'));
  });

  test('Propagate, FanOut and Verify query the members of aggregates, and Verify nothing else', () => {
    const { FanOut, Verify } = of(league());
    expect(FanOut?.['ReadRootsAndCopies']?.actions).toContain('dynamodb:Query');
    expect(FanOut?.['LocateCopies']?.resources).toEqual(index('ByOwner'));
    expect(Verify?.['CompareCopies']?.actions).toContain('dynamodb:Query');
    expect(Verify?.['FindMembers']?.resources).toEqual(index('ByOwner'));

    const inPartition = clubTotals.members.filter((location) => location.in === 'partition');
    const partition = of(league(inPartition))['Verify'];
    expect(partition?.['CompareCopies']?.actions).toContain('dynamodb:Query');
    expect(partition).not.toHaveProperty('FindMembers');
    expect(of(everything)['Verify']?.['CompareCopies']?.actions).not.toContain('dynamodb:Query');
    expect(of(everything)['Verify']).not.toHaveProperty('FindMembers');
  });

  test('Archive and Sweep has manifests, erasures and searches only if a rule uses them', () => {
    const sids = (config: Config, name: string) => Object.keys(of(config)[name] ?? {});
    const special = ['ArchiveManifests', 'NoteErasures', 'FindVersions', 'EraseVersions'];

    for (const name of ['Archive', 'Sweep'])
      expect(sids(everything, name)).toEqual(expect.arrayContaining(special));
    expect(sids(archiveOnly, 'Archive').filter((sid) => special.includes(sid))).toEqual([]);
    expect(of(everything)['Sweep']?.['FindAgedItems']?.resources).toEqual(index('by-date'));
    expect(of(everything)['Sweep']?.['ReadAgedItems']?.actions).toEqual([
      ...['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:Scan'],
    ]);
  });
});

const statement = z.object({
  Sid: z.string(),
  Action: z.union([z.string().transform((one) => [one]), z.array(z.string())]),
  Resource: z.unknown(),
  Condition: z.unknown().optional(),
});
/** Those of erasures are under a condition. */
const conditional = z
  .object({ 'Fn::If': z.tuple([z.string(), statement, z.unknown()]) })
  .transform((one) => one['Fn::If'][1]);
const statementList = z.array(z.union([statement, conditional]));
const policy = z.object({ PolicyDocument: z.object({ Statement: statementList }) });
/** The other policies, on keys of KMS, are the same whatever the rules are. */
const role = z.object({ Policies: z.tuple([policy]).rest(z.unknown()) });

/** The statements of each function's role by their Sid. */
function statements(stack: StackModel) {
  return Object.fromEntries(
    Object.entries(ofType(stack, 'AWS::IAM::Role')).map(([id, { Properties }]) => {
      const [{ PolicyDocument }] = role.parse(Properties).Policies;
      const bySid = PolicyDocument.Statement.map(
        ({ Sid, Action, Resource, Condition }) =>
          [Sid, { actions: Action, resources: textsIn(Resource), condition: Condition }] as const,
      );
      return [id.replace(/Role$/, ''), Object.fromEntries(bySid)];
    }),
  );
}

/** Every text for `Fn::Sub` in a resource, whichever table is used. */
function textsIn(resource: unknown): string[] {
  return [...JSON.stringify(resource).matchAll(/"Fn::Sub":"([^"]*)"/g)].map(([, text = '']) => text);
}

function ofType({ Resources }: StackModel, type: string): Readonly<Record<string, Resource>> {
  return Object.fromEntries(Object.entries(Resources).filter(([, { Type }]) => Type === type));
}

describe('what holds data', () => {
  const stack = stackOf(everything);
  const buckets = Object.entries(ofType(stack, 'AWS::S3::Bucket'));
  const queues = Object.entries(ofType(stack, 'AWS::SQS::Queue'));

  test('outlives the stack, and what replaces it', () => {
    expect(stack.Resources['Table']).toMatchObject({
      ...{ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' },
    });
    expect(buckets.map(([id]) => id)).toEqual([
      ...['ArchiveBucket', 'PropagateFailureBucket', 'ArchiveFailureBucket'],
    ]);
    for (const [, bucket] of buckets)
      expect(bucket).toMatchObject({
        ...{ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' },
      });
  });

  test.each(buckets)('%s is closed to others, and keeps earlier versions', (_, { Properties }) => {
    expect(Properties).toMatchObject({
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      PublicAccessBlockConfiguration: {
        ...{ BlockPublicAcls: true, BlockPublicPolicy: true },
        ...{ IgnorePublicAcls: true, RestrictPublicBuckets: true },
      },
      VersioningConfiguration: { Status: 'Enabled' },
    });
  });

  test.each([
    ...buckets.map(([id]) => [id, 's3:*', [arnOf(id), { 'Fn::Sub': `\${${id}.Arn}/*` }]] as const),
    ...queues.map(([id]) => [id, 'sqs:*', arnOf(id)] as const),
  ])('%s answers TLS only, and its policy allows nobody anything', (id, Action, Resource) => {
    const policies = Object.values(stack.Resources).filter(
      ({ Type, Properties }) =>
        /::(Bucket|Queue)Policy$/.test(Type) &&
        JSON.stringify([Properties['Bucket'], Properties['Queues']]).includes(JSON.stringify(ref(id))),
    );
    const denied: Properties = {
      ...{ Sid: 'TlsOnly', Effect: 'Deny', Principal: '*', Action, Resource },
      Condition: { Bool: { 'aws:SecureTransport': false } },
    };
    expect(policies).toHaveLength(1);
    expect(policies[0]?.Properties['PolicyDocument']).toMatchObject({ Statement: [denied] });
  });

  test.each(queues)('%s takes dead letters of no queue but the stack’s own', (id, { Properties }) => {
    const own = { redrivePermission: 'byQueue', sourceQueueArns: [expect.anything()] };
    expect(Properties['RedriveAllowPolicy']).toEqual(
      id === 'DeadLetterQueue' ? own : { redrivePermission: 'denyAll' },
    );
  });

  test.each(['Propagate', 'Archive'])('the failure bucket of %s is written by its role alone', (name) => {
    const roles = Object.entries(ofType(stack, 'AWS::IAM::Role'));
    const writers = roles.filter(([, of]) => JSON.stringify(of).includes(`\${${name}FailureBucket.Arn}/`));
    expect(writers.map(([id]) => id)).toEqual([`${name}Role`]);
  });

  test('FanOut’s messages are hidden for six of its timeouts, and received for a day', () => {
    const { VisibilityTimeout, maxReceiveCount } = stackSettings(stack).FanOut;
    expect(VisibilityTimeout).toBe(6 * Number(stack.Resources['FanOut']?.Properties['Timeout']));
    // A queue that refuses for hours makes no dead letters; SQS must still have the message when the queue recovers.
    expect(maxReceiveCount * VisibilityTimeout).toBe(86_400);
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

  expect(places(everything)).toHaveLength(14);
  expect(places(blog)).toEqual([0, 6, 12, 18].flatMap((y) => [0, 8, 16].map((x) => [x, y])));
});
