import { expect, onTestFinished, test } from 'vitest';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { connect } from '../../../src/operate/adapters/connection.ts';
import { type StackOutputs, stackOutputs } from '../../../src/operate/adapters/stack-outputs.ts';
import { outputsOf, stubCloud } from '../../cli/stub-cloud.ts';
import { serverOfTest } from '../../suites/loopback-server.ts';

function outputsAt(endpoint: string, name = 'prod'): Promise<StackOutputs> {
  const connection = connect(loopbackClientSettings(endpoint));
  onTestFinished(() => connection.close());
  return stackOutputs(connection, name);
}

test('the outputs of a stack are read, those for archiving only if it has them', async () => {
  const { endpoint } = await stubCloud();
  const without = await stubCloud('ArchiveFunction');

  expect(await outputsAt(endpoint)).toEqual(outputsOf(endpoint));
  expect(await outputsAt(without.endpoint)).not.toHaveProperty('ArchiveFunction');
});

test.each([
  ['an unknown stack', 'stack.unknown', 'dev', undefined, 'none called dev'],
  ['another project’s', 'stack.foreign', 'prod', 'PropagateFailureBucketName', 'no output PropagateFailure'],
])('the outputs of %s are refused with %s', async (_, code, name, missing, says) => {
  const { endpoint } = await stubCloud(...(missing === undefined ? [] : [missing]));

  await expect(outputsAt(endpoint, name)).rejects.toMatchObject({
    ...{ name: 'DenormError', code, message: expect.stringContaining(says) },
  });
});

test('the outputs of a stack name the missing permission', async () => {
  const server = await serverOfTest(() => ({
    status: 403,
    headers: { 'content-type': 'text/xml' },
    body: '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>',
  }));

  await expect(outputsAt(server.endpoint)).rejects.toMatchObject({
    ...{ name: 'FatalError', message: expect.stringContaining('cloudformation:DescribeStacks') },
  });
});
