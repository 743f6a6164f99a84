import { ownPartition } from '../../model/items/own-items.ts';
import type { FunctionName, StreamFunction } from '../../model/work/settings.ts';
import { arnOf, type Properties, type Resource, ref, sub, type Value, when } from '../cloudformation.ts';
import type { Usage } from '../needs/usage.ts';
import { conditionOf } from './functions.ts';
import { streamArn, tableArn, tableArns } from './table.ts';

type Statements = readonly Properties[];

/** The role of a function: exactly what the rules make it do. */
export function role(name: FunctionName, usage: Usage): Resource {
  const [statements, ...keys] = grants[name](usage);
  return {
    Type: 'AWS::IAM::Role',
    Condition: conditionOf(name),
    Properties: {
      AssumeRolePolicyDocument: document([
        { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ]),
      // Those on keys are in the role, because a mapping is made as soon as its function has one, and needs the stream to be readable.
      Policies: [policy('works-on-the-table', [...statements, writeLog(name)]), ...keys],
    },
  };
}

const grants: Readonly<Record<FunctionName, (usage: Usage) => readonly [Statements, ...Properties[]]>> = {
  Propagate: ({ propagation }) => [
    [...readsStream('Propagate'), ...propagates(propagation)],
    tableKey(writing),
    stackKey(
      viaKey('UseStackKeyInBucket', 's3', 'kms:GenerateDataKey', 'StackKmsKeyArn'),
      viaKey('UseStackKeyInQueues', 'sqs', generating, 'StackKmsKeyArn'),
    ),
  ],
  Archive: ({ archive, beats }) => [
    [
      ...readsStream('Archive'),
      ...(archive.objects ? [allow('ReadItems', 'dynamodb:GetItem', tableArn)] : []),
      ...stores(archive),
      allow('DeadLetter', 'sqs:SendMessage', arnOf('DeadLetterQueue')),
      ...writesBeats('NoteArchivedBeats', beats),
    ],
    tableKey(writing),
    stackKey(
      viaKey('UseStackKeyInBuckets', 's3', generating, 'StackKmsKeyArn'),
      viaKey('UseStackKeyInQueue', 'sqs', generating, 'StackKmsKeyArn'),
    ),
  ],
  FanOut: ({ propagation, beats }) => [
    [
      allow(
        'ReceiveMessages',
        ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        arnOf('FanOutQueue'),
      ),
      ...propagates(propagation),
      ...writesBeats('NoteBeats', beats),
    ],
    tableKey(writing),
    stackKey(viaKey('UseStackKeyInQueues', 'sqs', generating, 'StackKmsKeyArn')),
  ],
  Sweep: ({ sweep }) => [
    [
      allow(
        'ReadAgedItems',
        [...reading(sweep.queriesTable), ...(sweep.scans ? ['dynamodb:Scan'] : [])],
        tableArn,
      ),
      ...queriesIndexes('FindAgedItems', sweep.indexes),
      // No PutItem and no DeleteItem: the sweep sets an expiry, it creates and removes nothing.
      allow('GiveExpiry', updating, tableArn, leadingKeys(sweep.writtenKeys)),
      ...stores(sweep),
      allow('KeepPlace', ['s3:PutObject', 's3:GetObject'], inArchive('state')),
      allow('TellRestored', 's3:GetObject', inArchive('restored')),
    ],
    tableKey(writing),
    stackKey(viaKey('UseStackKeyInBucket', 's3', generating, 'StackKmsKeyArn')),
  ],
  Verify: ({ verify }) => [
    [
      allow('CompareCopies', ['dynamodb:Scan', ...reading(verify.queriesTable)], tableArn),
      ...queriesIndexes('FindMembers', verify.indexes),
      allow('SeeWhatWaits', 'sqs:GetQueueAttributes', arnOf('FanOutQueue')),
    ],
    tableKey('kms:Decrypt'),
  ],
  Heartbeat: () => [
    [
      allow(
        'ReadBeatsAndPauses',
        'dynamodb:GetItem',
        tableArn,
        leadingKeys([ownPartition('PAUSES'), ownPartition('HEARTBEAT')]),
      ),
      ...writesBeats('SendBeats', true),
    ],
    tableKey(writing),
  ],
};

/** Not PartiQLUpdate: no statement can name a beat's attribute, which has a colon. */
const writesBeats = (Sid: string, beats: boolean): Statements =>
  beats ? [allow(Sid, 'dynamodb:UpdateItem', tableArn, leadingKeys([ownPartition('HEARTBEAT')]))] : [];

const updating = ['dynamodb:UpdateItem', 'dynamodb:PartiQLUpdate'];
const reading = (queries: boolean) => [
  ...['dynamodb:GetItem', 'dynamodb:BatchGetItem', ...(queries ? ['dynamodb:Query'] : [])],
];
/** What reads and writes in a bucket, or sends to a queue, which checks the data key. */
const generating = ['kms:GenerateDataKey', 'kms:Decrypt'];
/** Source: DynamoDB Developer Guide, "How Amazon DynamoDB uses AWS KMS". */
const writing = [
  ...['kms:Decrypt', 'kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
];

function readsStream(name: StreamFunction): Statements {
  const bucket = `${name}FailureBucket`;
  const actions = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
  return [
    allow('ReadStream', actions, streamArn),
    allow('ListStreams', 'dynamodb:ListStreams', tableArns('stream', ['*'])),
    allow('KeepFailedRecords', 's3:PutObject', sub(`\${${bucket}.Arn}/aws/lambda/*`)),
    allow('FindFailedRecords', 's3:ListBucket', arnOf(bucket)),
  ];
}

function propagates(usage: Usage['propagation']): Statements {
  const { queriesTable, indexes, creates, updates, deletes, conditionsOnRoots } = usage;
  const writes = (Sid: string, actions: Value, keys: readonly string[] | undefined) =>
    keys === undefined ? [] : [allow(Sid, actions, tableArn, leadingKeys(keys))];
  return [
    allow('ReadRootsAndCopies', reading(queriesTable), tableArn),
    ...queriesIndexes('LocateCopies', indexes),
    ...writes('WriteCopies', updating, updates),
    ...writes('CreateCopies', 'dynamodb:PutItem', creates),
    ...writes('DeleteCopies', 'dynamodb:DeleteItem', deletes),
    // Copies are created and removed on condition of their root, which is not written.
    ...(conditionsOnRoots ? [allow('CheckRoots', 'dynamodb:ConditionCheckItem', tableArn)] : []),
    allow('Queue', 'sqs:SendMessage', [arnOf('FanOutQueue'), arnOf('DeadLetterQueue')]),
  ];
}

function stores({ batches, erases }: Usage['archive']): Statements {
  const both = ['s3:PutObject', 's3:GetObject'];
  // A note of which record the erasure covers, and then every version.
  const erasing = [
    allow('NoteErasures', both, inArchive('erased')),
    allow('FindVersions', 's3:ListBucketVersions', arnOf('ArchiveBucket')),
    allow('EraseVersions', ['s3:GetObjectVersion', 's3:DeleteObjectVersion'], inArchive('archive')),
  ];
  return [
    allow('Archive', both, inArchive('archive')),
    // The manifest of an object lists its lines.
    ...(batches ? [allow('ArchiveManifests', both, inArchive('manifests'))] : []),
    // Without it, S3 answers 403 instead of 404 to a HeadObject of a missing object. HeadObject has no prefix, so a condition on
    // one would never hold.
    allow('TellAbsentObjects', 's3:ListBucket', arnOf('ArchiveBucket')),
    ...(erases ? erasing.map((statement) => when('ErasesArchive', statement)) : []),
  ];
}

const inArchive = (prefix: string) => sub(`\${ArchiveBucket.Arn}/${prefix}/*`);

function queriesIndexes(Sid: string, indexes: readonly string[]): Statements {
  return indexes.length === 0 ? [] : [allow(Sid, 'dynamodb:Query', tableArns('index', indexes))];
}

/** Every write names its item, so the condition never meets a request without a key, which it would let pass. */
function leadingKeys(patterns: readonly string[]): Properties | undefined {
  return patterns.length === 0
    ? undefined
    : { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } };
}

function writeLog(name: FunctionName): Properties {
  return allow('WriteLog', ['logs:CreateLogStream', 'logs:PutLogEvents'], arnOf(`${name}Log`));
}

const tableKey = (actions: Value) =>
  when(
    'HasTableKey',
    policy('uses-the-key-of-the-table', [viaKey('UseTableKey', 'dynamodb', actions, 'TableKmsKeyArn')]),
  );

/** SQS and S3 ask KMS on behalf of the role. */
const stackKey = (...statements: Properties[]) =>
  when('HasStackKey', policy('uses-the-key-of-the-stack', statements));

/** Two names of a service, because AWS does not document which of them KMS sees in China. */
function viaKey(Sid: string, service: string, Action: Value, key: string): Properties {
  const hosts = ['amazonaws.com', `\${AWS::URLSuffix}`];
  const services = hosts.map((host) => sub(`${service}.\${AWS::Region}.${host}`));
  return allow(Sid, Action, ref(key), { StringEquals: { 'kms:ViaService': services } });
}

function allow(Sid: string, Action: Value, Resource: Value, Condition?: Properties): Properties {
  return { Sid, Effect: 'Allow', Action, Resource, Condition };
}

function policy(PolicyName: string, statements: Statements): Properties {
  return { PolicyName, PolicyDocument: document(statements) };
}

function document(Statement: Statements): Properties {
  return { Version: '2012-10-17', Statement };
}
