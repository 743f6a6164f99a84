import { createServer } from 'node:http';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { clientSettings } from '../../../src/adapters/lambda/client-settings.ts';

test('a client gives up a request that is never answered', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const client = new SQSClient({
    ...clientSettings,
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: { ...clientSettings.requestHandler, requestTimeout: 100 },
  });
  onTestFinished(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });

  await expect(client.send(new ListQueuesCommand())).rejects.toMatchObject({ name: 'TimeoutError' });
}, 5_000);
