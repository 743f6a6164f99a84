import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { expandedTemplate, type ResourcesFor } from './expanded-template.ts';
import { templates } from './templates.ts';

let resourcesFor: ResourcesFor;

const key = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const existing = {
  ExistingTableName: 'app',
  ExistingTableStreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/app/stream/2026-01-01T00:00:00.000',
};

const strings = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const statement = z.looseObject({ Sid: z.string(), Action: strings });
const role = z.object({
  Policies: z.array(z.object({ PolicyDocument: z.object({ Statement: z.array(statement) }) })),
});

/** The statements about KMS in a function's role: a policy beside it could come after the mapping that needs it. */
function keyStatements(name: string, parameters: Record<string, string>) {
  return role
    .parse(resourcesFor(parameters)[`${name}Role`]?.Properties)
    .Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Action }) => Action.some((action) => action.startsWith('kms:')));
}

/** Those that read; the others write as well. */
const readers = ['Archive', 'Verify'];

/** Source: DynamoDB Developer Guide, "How Amazon DynamoDB uses AWS KMS", authorizing use of a customer managed key. */
const toWrite = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'];

const viaService = z.strictObject({
  StringEquals: z.strictObject({ 'kms:ViaService': z.array(z.string()).length(2) }),
});

/** Sending to a queue decrypts too. Sources: SQS Developer Guide, "Key management"; S3 User Guide, "Using server-side encryption with AWS KMS". */
const both = ['kms:GenerateDataKey', 'kms:Decrypt'];
const s3 = 's3.x.amazonaws.com';
const sqs = 'sqs.x.amazonaws.com';
const stackKeyOf: Readonly<Record<string, object>> = {
  // What Lambda puts into its failure bucket, Propagate never reads.
  Propagate: { [s3]: ['kms:GenerateDataKey'], [sqs]: both },
  FanOut: { [sqs]: both },
  Archive: { [s3]: both, [sqs]: both },
  Sweep: { [s3]: both },
  Verify: {},
};

describe.each(templates)('of $name:', ({ path, functions }) => {
  beforeAll(async () => {
    resourcesFor = await expandedTemplate(path);
  });

  describe.each([
    ['a table of its own', {}],
    ['an existing table', existing],
  ])('with %s', (_, parameters) => {
    it.each(functions)('and no key, %s has no permission in KMS', (name) => {
      expect(keyStatements(name, parameters)).toEqual([]);
    });

    it.each(functions)('and a customer managed key, %s may use that key, only through DynamoDB', (name) => {
      const [found, ...others] = keyStatements(name, {
        ...parameters,
        TableKmsKeyArn: key,
        ...{ 'AWS::Region': 'cn-north-1', 'AWS::URLSuffix': 'amazonaws.com.cn' },
      });

      expect(others).toEqual([]);
      expect(found?.Action.toSorted()).toEqual(readers.includes(name) ? ['kms:Decrypt'] : toWrite);
      expect(found).toMatchObject({
        Effect: 'Allow',
        Resource: key,
        Condition: {
          StringEquals: {
            'kms:ViaService': ['dynamodb.cn-north-1.amazonaws.com', 'dynamodb.cn-north-1.amazonaws.com.cn'],
          },
        },
      });
    });
  });

  describe('with a key for what the stack keeps beside the table', () => {
    const withKey = { StackKmsKeyArn: key };
    const ids = (type: string, stack = resourcesFor(withKey)) =>
      Object.values(stack).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));

    it('every bucket, queue and log group is encrypted with it', () => {
      for (const { BucketEncryption } of ids('AWS::S3::Bucket'))
        expect(BucketEncryption).toEqual({
          ServerSideEncryptionConfiguration: [
            {
              BucketKeyEnabled: true,
              ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: key },
            },
          ],
        });
      for (const queue of ids('AWS::SQS::Queue'))
        expect(queue).toMatchObject({ KmsMasterKeyId: key, SqsManagedSseEnabled: false });
      for (const group of ids('AWS::Logs::LogGroup')) expect(group).toMatchObject({ KmsKeyId: key });
    });

    it('and without one, with those of S3 and SQS', () => {
      for (const { BucketEncryption } of ids('AWS::S3::Bucket', resourcesFor()))
        expect(BucketEncryption).toEqual({
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        });
      for (const queue of ids('AWS::SQS::Queue', resourcesFor())) {
        expect(queue).toMatchObject({ SqsManagedSseEnabled: true });
        expect(queue).not.toHaveProperty('KmsMasterKeyId');
      }
      for (const group of ids('AWS::Logs::LogGroup', resourcesFor()))
        expect(group).not.toHaveProperty('KmsKeyId');
    });

    it.each(functions)('%s may use it as it uses buckets and queues, only through S3 and SQS', (name) => {
      const found = keyStatements(name, { ...withKey, 'AWS::Region': 'x', 'AWS::URLSuffix': 'com' });
      const services = found.map(({ Sid: _, Effect, Action, Resource, Condition }) => {
        expect([Effect, Resource]).toEqual(['Allow', key]);
        const { StringEquals } = viaService.parse(Condition);
        const [service = '', same] = StringEquals['kms:ViaService'];
        expect(same).toBe(service.replace('amazonaws.com', 'com'));
        return [service, Action];
      });
      expect(Object.fromEntries(services)).toEqual(stackKeyOf[name]);
    });
  });

  describe('the table', () => {
    it('is encrypted with the key that DynamoDB owns, by default', () => {
      expect(resourcesFor()['Table']?.Properties).not.toHaveProperty('SSESpecification');
    });

    it('is encrypted with the customer managed key, if one is given', () => {
      expect(resourcesFor({ TableKmsKeyArn: key })['Table']?.Properties).toMatchObject({
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: key },
      });
    });
  });
});
