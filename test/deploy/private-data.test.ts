import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { stackTemplate } from '../../src/deploy/stack-template.ts';
import { parseTemplate } from '../../src/develop/dev/template-values.ts';
import { everything } from './configs.ts';

const { Resources } = parseTemplate(stackTemplate({ config: everything, version: '0.0.0' }));
const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
const reference = (id: string) => ({ Ref: id });
const arn = (id: string) => ({ 'Fn::GetAtt': `${id}.Arn` });

const policySchema = z.object({
  PolicyDocument: z.object({ Statement: z.array(z.record(z.string(), z.unknown())) }),
});

/** The statements of the policy of a bucket or queue. */
function statementsOn(id: string) {
  const policies = [...ofType('AWS::S3::BucketPolicy'), ...ofType('AWS::SQS::QueuePolicy')];
  const [own, ...others] = policies.filter(([, { Properties }]) =>
    [Properties['Bucket'], Properties['Queues']]
      .flat()
      .some((of) => JSON.stringify(of) === JSON.stringify(reference(id))),
  );
  expect(others).toEqual([]);
  return policySchema.parse(own?.[1].Properties).PolicyDocument.Statement;
}

const tlsOnly = (action: string, resource: unknown) => ({
  ...{ Sid: 'TlsOnly', Effect: 'Deny', Principal: '*', Action: action, Resource: resource },
  Condition: { Bool: { 'aws:SecureTransport': false } },
});

describe.each(ofType('AWS::S3::Bucket'))('the bucket %s', (id, { Properties }) => {
  test('is closed to the public and to other owners of objects', () => {
    expect(Properties).toMatchObject({
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      PublicAccessBlockConfiguration: {
        ...{ BlockPublicAcls: true, BlockPublicPolicy: true },
        ...{ IgnorePublicAcls: true, RestrictPublicBuckets: true },
      },
    });
  });

  test('keeps earlier versions', () => {
    expect(Properties).toMatchObject({ VersioningConfiguration: { Status: 'Enabled' } });
  });

  test('answers TLS only, and its policy allows nobody anything', () => {
    const objects = { 'Fn::Sub': `\${${id}.Arn}/*` };
    expect(statementsOn(id)).toEqual([tlsOnly('s3:*', [arn(id), objects])]);
  });
});

describe.each(ofType('AWS::SQS::Queue'))('the queue %s', (id, { Properties }) => {
  test('answers TLS only, and its policy allows nobody anything', () => {
    expect(statementsOn(id)).toEqual([tlsOnly('sqs:*', arn(id))]);
  });

  test('takes dead letters of no queue but the stack’s own', () => {
    const own = { redrivePermission: 'byQueue', sourceQueueArns: [expect.anything()] };
    expect(Properties['RedriveAllowPolicy']).toEqual(
      id === 'DeadLetterQueue' ? own : { redrivePermission: 'denyAll' },
    );
  });
});

test('these tests see the buckets and queues', () => {
  expect(ofType('AWS::S3::Bucket').length).toBeGreaterThan(2);
  expect(ofType('AWS::SQS::Queue').length).toBeGreaterThan(1);
});

test('each failure bucket is written by one role', () => {
  const writers = (bucket: string) =>
    ofType('AWS::IAM::Role').flatMap(([id, { Properties }]) =>
      JSON.stringify(Properties).includes(`\${${bucket}.Arn}/`) ? [id] : [],
    );

  expect(writers('PropagateFailureBucket')).toEqual(['PropagateRole']);
  expect(writers('ArchiveFailureBucket')).toEqual(['ArchiveRole']);
});
