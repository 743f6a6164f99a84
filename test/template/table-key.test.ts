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
