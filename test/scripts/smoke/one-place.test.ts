import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { type Asked, askedByFunction, noteHost, refuseMixture } from '../../../scripts/smoke/one-place.ts';
import { connect } from '../../../src/operate/adapters/connection.ts';

const aws = { what: 'S3', host: 's3.eu-west-1.amazonaws.com' };
const local = { what: 'DynamoDB', host: '127.0.0.1' };

test('accepts services that are all in AWS, or all elsewhere', () => {
  refuseMixture([aws, { what: 'DynamoDB', host: 'dynamodb.eu-west-1.amazonaws.com' }]);
  refuseMixture([aws, { what: 'Lambda', host: 'lambda.cn-north-1.amazonaws.com.cn' }]);
  refuseMixture([local, { what: 'S3', host: 'host.docker.internal' }]);
});

test('refuses a local table beside a stack in AWS, and names both', () => {
  expect(() => refuseMixture([aws, local])).toThrow(
    /^Expected every service of the stack in one place, found S3 \(s3\.eu-west-1\.amazonaws\.com\) in AWS, but DynamoDB \(127\.0\.0\.1\) elsewhere: unset/,
  );
  expect(() => refuseMixture([{ what: 'S3', host: 'amazonaws.com.example' }, aws])).toThrow('stack');
});

test('refuses a function that uses another place than the command', () => {
  const asked = askedByFunction('Archive', {
    AWS_ENDPOINT_URL_DYNAMODB: '',
    AWS_ENDPOINT_URL_S3: 'http://host.docker.internal:4566',
    TABLE_NAME: 'app',
  });

  expect(asked).toEqual([{ what: 'AWS_ENDPOINT_URL_S3 of Archive', host: 'host.docker.internal' }]);
  expect(() => refuseMixture([aws, ...asked])).toThrow('AWS_ENDPOINT_URL_S3 of Archive');
});

test('notes an endpoint of the environment at the first request', async () => {
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = 'http://127.0.0.1:9';
  const connection = connect({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  const asked: Asked[] = [];
  connection.dynamoDb.middlewareStack.add(noteHost('DynamoDB', asked), { step: 'finalizeRequest' });
  try {
    await expect(connection.dynamoDb.send(new ListTablesCommand({}))).rejects.toThrow();

    expect(asked[0]).toEqual(local);
  } finally {
    connection.close();
    delete process.env['AWS_ENDPOINT_URL_DYNAMODB'];
  }
});
