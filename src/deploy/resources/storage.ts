import {
  arnOf,
  comments,
  type Properties,
  type Resource,
  type Resources,
  ref,
  sub,
  type Value,
  when,
} from '../cloudformation.ts';
import { fanOutTimeout } from './functions.ts';
import { stageTag } from './table.ts';

const stackKey = ref('StackKmsKeyArn');
const days = 24 * 3600;

export function queues(): Resources {
  // A name that is known beforehand, for the dead-letter queue; a new stack of the same name gets another.
  const id = { Id: { 'Fn::Select': [2, { 'Fn::Split': ['/', ref('AWS::StackId')] }] } };
  const fanOutArn = `arn:\${AWS::Partition}:sqs:\${AWS::Region}:\${AWS::AccountId}:fan-out-\${Id}`;
  return {
    FanOutQueue: queue({
      QueueName: { 'Fn::Sub': [`fan-out-\${Id}`, id] },
      MessageRetentionPeriod: 4 * days,
      VisibilityTimeout: 6 * fanOutTimeout,
      // Another queue could otherwise make its own messages fan-outs, without permission to send here.
      RedriveAllowPolicy: { redrivePermission: 'denyAll' },
      RedrivePolicy: {
        deadLetterTargetArn: arnOf('DeadLetterQueue'),
        maxReceiveCount: 240,
        [comments]: {
          maxReceiveCount:
            'A delivery every six minutes for a day. Work is requeued while the table is unavailable; a message fails only if the\nqueue refuses too, and an outage of hours must not turn it into a dead letter.',
        },
      },
      [comments]: { VisibilityTimeout: "Six times FanOut's timeout, as Lambda recommends." },
    }),
    DeadLetterQueue: queue({
      // A message keeps the age that it had in the fan-out queue.
      MessageRetentionPeriod: 14 * days,
      RedriveAllowPolicy: { redrivePermission: 'byQueue', sourceQueueArns: [{ 'Fn::Sub': [fanOutArn, id] }] },
    }),
    QueuePolicy: queuePolicy('FanOutQueue'),
    DeadLetterQueuePolicy: queuePolicy('DeadLetterQueue'),
  };
}

function queue(properties: Properties): Resource {
  return {
    Type: 'AWS::SQS::Queue',
    Properties: {
      ...properties,
      SqsManagedSseEnabled: when('HasStackKey', false, true),
      KmsMasterKeyId: when('HasStackKey', stackKey),
      Tags: stageTag,
    },
  };
}

function queuePolicy(id: string): Resource {
  return {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: { Queues: [ref(id)], PolicyDocument: tlsOnly('sqs:*', arnOf(id)) },
  };
}

/** The buckets, which answer TLS only: each failure bucket is written by one function. */
export function buckets(archives: boolean): Resources {
  return {
    ...(archives && bucket('ArchiveBucket', archiveLifecycle)),
    ...bucket('PropagateFailureBucket', failureLifecycle),
    ...(archives && bucket('ArchiveFailureBucket', failureLifecycle)),
  };
}

const lifecycle = (Id: string, days: number, settings: Properties) => ({
  Id,
  Status: 'Enabled',
  ...settings,
  NoncurrentVersionExpiration: { NoncurrentDays: days },
});
const archiveLifecycle = [
  // Notes of erasures: no record is delivered again after that time. Failed ones are kept for 30 days.
  lifecycle('forget-erasures', 1, { Prefix: 'erased/', ExpirationInDays: 60 }),
  // Each page of a sweep overwrites its position.
  lifecycle('forget-where-sweeps-were', 1, { Prefix: 'state/' }),
];

/** Records that Lambda gave up, whole, for a redrive. What an object says of its function is no proof: its bucket is. */
const failureLifecycle = [lifecycle('expire', 14, { ExpirationInDays: 30 })];

/** A bucket that keeps earlier versions and outlives its stack, except a first deployment that fails; and its policy. */
function bucket(id: string, rules: readonly Properties[]): Resources {
  const byDefault = (encryption: Properties) => ({ ServerSideEncryptionByDefault: encryption });
  return {
    [id]: {
      Type: 'AWS::S3::Bucket',
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        VersioningConfiguration: { Status: 'Enabled' },
        LifecycleConfiguration: { Rules: rules },
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [
            when(
              'HasStackKey',
              {
                BucketKeyEnabled: true,
                ...byDefault({ SSEAlgorithm: 'aws:kms', KMSMasterKeyID: stackKey }),
              },
              byDefault({ SSEAlgorithm: 'AES256' }),
            ),
          ],
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        Tags: stageTag,
      },
    },
    [`${id}Policy`]: {
      Type: 'AWS::S3::BucketPolicy',
      Properties: {
        Bucket: ref(id),
        PolicyDocument: tlsOnly('s3:*', [arnOf(id), sub(`\${${id}.Arn}/*`)]),
      },
    },
  };
}

function tlsOnly(Action: string, Resource: Value): Properties {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'TlsOnly',
        Effect: 'Deny',
        Principal: '*',
        Action,
        Resource,
        Condition: { Bool: { 'aws:SecureTransport': false } },
      },
    ],
  };
}
