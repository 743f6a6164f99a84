import { LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loopbackClientSettings } from '../../../../src/develop/dev/loopback.ts';
import { FatalError, TransientError } from '../../../../src/model/errors.ts';
import { invokeFunction } from '../../../../src/operate/adapters/lambda/invoke-function.ts';
import { loopbackServer, type ServerAnswer, type ServerRequest } from '../../../suites/loopback-server.ts';

const records = [{ eventID: '1' }, { eventID: '2' }];

/** A Lambda with this answer, and the requests to it. */
async function lambda(answer: ServerAnswer) {
  const requests: ServerRequest[] = [];
  const server = await loopbackServer((request) => {
    requests.push(request);
    return answer;
  });
  const client = new LambdaClient({
    ...loopbackClientSettings(server.endpoint),
    maxAttempts: 1,
  });
  onTestFinished(async () => {
    client.destroy();
    await server.close();
  });
  return { requests, asked: () => invokeFunction(client, 'prod-Propagate-1', records) };
}

describe('invokeFunction', () => {
  test('sends the records to the function as its mapping would, and waits for its answer', async () => {
    const { requests, asked } = await lambda({ status: 200, body: '{"batchItemFailures":[]}' });

    expect(await asked()).toEqual({ unacknowledged: 0 });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.path).toContain('/functions/prod-Propagate-1/invocations');
    expect(JSON.parse(requests[0]?.body.toString() ?? '')).toEqual({ Records: records });
  });

  test('counts the records that the function does not acknowledge', async () => {
    const { asked } = await lambda({ status: 200, body: '{"batchItemFailures":[{"itemIdentifier":"7"}]}' });

    expect(await asked()).toEqual({ unacknowledged: 1, why: 'see the log of the function' });
  });

  test('acknowledges nothing if the function ended with an error, and repeats only the error’s type', async () => {
    const { asked } = await lambda({
      status: 200,
      headers: { 'x-amz-function-error': 'Unhandled' },
      body: '{"errorType":"FatalError","errorMessage":"holds a secret"}',
    });

    expect(await asked()).toEqual({
      unacknowledged: 2,
      why: 'the function ended with FatalError, see its log',
    });
  });

  test.each(['', 'null', '{}', '{"batchItemFailures":null}', 'a secret'])(
    'acknowledges nothing if the function answers %j',
    async (body) => {
      const { asked } = await lambda({ status: 200, body });

      expect(await asked()).toEqual({
        unacknowledged: 2,
        why: 'the function gave an invalid answer to a batch',
      });
    },
  );

  test.each([
    [404, 'ResourceNotFoundException', FatalError],
    [403, 'AccessDeniedException', FatalError],
    [429, 'TooManyRequestsException', TransientError],
    [500, 'ServiceException', TransientError],
    [413, 'RequestTooLargeException', TransientError],
  ])('names its request if Lambda answers %d %s', async (status, type, error) => {
    const { asked } = await lambda({ status, headers: { 'x-amzn-errortype': type }, body: '{}' });

    await expect(asked()).rejects.toThrow(error);
    await expect(asked()).rejects.toThrow('Invoke (lambda:InvokeFunction) of prod-Propagate-1');
  });
});
