import { describe, expect, test } from 'vitest';
import { arnOf, type Properties, ref, sub } from '../../../src/deploy/cloudformation.ts';
import { plainStack } from '../../../src/deploy/plain-stack.ts';
import { everything } from '../configs.ts';
import { ofType, propertiesOf } from '../plain.ts';

const key = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const { Resources } = plainStack(everything, {});
const buckets = Object.entries(ofType('AWS::S3::Bucket', everything));
const queues = Object.entries(ofType('AWS::SQS::Queue', everything));

describe('what holds data', () => {
  test('outlives the stack, and what replaces it', () => {
    expect(Resources['Table']).toMatchObject({
      ...{ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' },
      Properties: { DeletionProtectionEnabled: true },
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
    ...buckets.map(([id]) => [id, 's3:*', [arnOf(id), sub(`\${${id}.Arn}/*`)]] as const),
    ...queues.map(([id]) => [id, 'sqs:*', arnOf(id)] as const),
  ])('%s answers TLS only, and its policy allows nobody anything', (id, Action, Resource) => {
    const policies = Object.values(Resources).filter(
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
    const roles = Object.entries(ofType('AWS::IAM::Role', everything));
    const writers = roles.filter(([, of]) => JSON.stringify(of).includes(`\${${name}FailureBucket.Arn}/`));
    expect(writers.map(([id]) => id)).toEqual([`${name}Role`]);
  });

  test('FanOut’s messages are hidden for six of its timeouts, and received for a day', () => {
    const { VisibilityTimeout, RedrivePolicy } = propertiesOf('FanOutQueue', everything);
    const { Timeout } = propertiesOf('FanOut', everything);

    expect(VisibilityTimeout).toBe(6 * Number(Timeout));
    // A queue that refuses for hours makes no dead letters; SQS must still have the message when the queue recovers.
    expect(RedrivePolicy).toMatchObject({ maxReceiveCount: 86_400 / Number(VisibilityTimeout) });
  });
});

describe('encrypted', () => {
  const given = { StackKmsKeyArn: key };
  const encryption = (one: object) => ({ BucketEncryption: { ServerSideEncryptionConfiguration: [one] } });

  test.each([
    ['AWS::S3::Bucket', encryption({ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } })],
    ['AWS::SQS::Queue', { SqsManagedSseEnabled: true }],
    ['AWS::Logs::LogGroup', {}],
  ])('by the service that keeps it is each %s without a key', (type, expected) => {
    for (const [id, { Properties }] of Object.entries(ofType(type, everything))) {
      expect(Properties, id).toMatchObject(expected);
      expect(JSON.stringify(Properties), id).not.toContain('Kms');
    }
  });

  test.each([
    [
      'AWS::S3::Bucket',
      encryption({
        BucketKeyEnabled: true,
        ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: key },
      }),
    ],
    ['AWS::SQS::Queue', { KmsMasterKeyId: key, SqsManagedSseEnabled: false }],
    ['AWS::Logs::LogGroup', { KmsKeyId: key }],
  ])('with the key of the stack is each %s', (type, expected) => {
    for (const [id, { Properties }] of Object.entries(ofType(type, everything, given)))
      expect(Properties, id).toMatchObject(expected);
  });

  test('with the key that DynamoDB owns is the table, or with the one that is given', () => {
    expect(Resources['Table']?.Properties).not.toHaveProperty('SSESpecification');
    expect(propertiesOf('Table', everything, { TableKmsKeyArn: key })).toMatchObject({
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: key },
    });
  });
});
