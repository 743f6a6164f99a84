import { describe, expect, onTestFinished, test } from 'vitest';
import { loopbackClientSettings } from '../../../src/develop/dev/loopback.ts';
import { DenormError, FatalError } from '../../../src/model/errors.ts';
import { type Connection, connect } from '../../../src/operate/adapters/connection.ts';
import { stackOutputs } from '../../../src/operate/adapters/stack-outputs.ts';
import { stubCloud } from '../../cli/stub-cloud.ts';
import { loopbackServer } from '../../suites/loopback-server.ts';

function connectionTo(endpoint: string): Connection {
  const connection = connect(loopbackClientSettings(endpoint));
  onTestFinished(() => connection.close());
  return connection;
}

describe('stackOutputs', () => {
  test('reads the outputs of a stack', async () => {
    const { endpoint } = await stubCloud();

    expect(await stackOutputs(connectionTo(endpoint), 'prod')).toEqual({
      TableName: 'prod-table',
      StreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/prod-table/stream/1',
      PropagateFunction: 'prod-Propagate-A1',
      ArchiveFunction: 'prod-Archive-B2',
      FanOutFunction: 'prod-FanOut-C3',
      FanOutQueueUrl: `${endpoint}/123456789012/fan-out`,
      DeadLetterQueueUrl: `${endpoint}/123456789012/dead-letters`,
      ArchiveBucketName: 'prod-archive',
      PropagateFailureBucketName: 'prod-failed',
      ArchiveFailureBucketName: 'prod-archive-failed',
    });
  });

  test('accepts a stack that archives nothing', async () => {
    const { endpoint } = await stubCloud('ArchiveFunction');

    expect(await stackOutputs(connectionTo(endpoint), 'prod')).not.toHaveProperty('ArchiveFunction');
  });

  test('reports an unknown stack', async () => {
    const { endpoint } = await stubCloud();

    await expect(stackOutputs(connectionTo(endpoint), 'dev')).rejects.toMatchObject({
      code: 'stack.unknown',
      message: expect.stringContaining('none called dev'),
    });
  });

  test('reports a stack of another project, by its missing outputs', async () => {
    const { endpoint } = await stubCloud('PropagateFailureBucketName');
    const asked = stackOutputs(connectionTo(endpoint), 'prod');

    await expect(asked).rejects.toThrow(DenormError);
    await expect(asked).rejects.toMatchObject({
      code: 'stack.foreign',
      message: expect.stringContaining('no output PropagateFailureBucketName'),
    });
  });

  test('names the missing permission', async () => {
    const server = await loopbackServer(() => ({
      status: 403,
      headers: { 'content-type': 'text/xml' },
      body: '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>',
    }));
    onTestFinished(() => server.close());
    const asked = stackOutputs(connectionTo(server.endpoint), 'prod');

    await expect(asked).rejects.toThrow(FatalError);
    await expect(asked).rejects.toThrow('cloudformation:DescribeStacks');
  });
});
