import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../src/model/basics/errors.ts';
import { invokeFunction } from '../../../src/operate/adapters/lambda-functions.ts';
import { clientOfTest, type ServerAnswer, type ServerRequest } from '../../suites/loopback-server.ts';

const records = [{ eventID: '1' }, { eventID: '2' }];

/** A Lambda with this answer, and the requests to it. */
async function lambda(answer: ServerAnswer) {
  const requests: ServerRequest[] = [];
  const client = await clientOfTest(
    (request) => {
      requests.push(request);
      return answer;
    },
    (settings) => new LambdaClient({ ...settings, maxAttempts: 1 }),
  );
  return { requests, asked: () => invokeFunction(client, 'prod-Propagate-1', records) };
}

/** The end of a log with this line, as Lambda returns it. */
function logged(line: object): Readonly<Record<string, string>> {
  const text = `START RequestId: 1\n${JSON.stringify(line)}\nEND RequestId: 1\n`;
  return { 'x-amz-log-result': Buffer.from(text).toString('base64') };
}

const failed = '{"batchItemFailures":[{"itemIdentifier":"1"}]}';
const invalid = { unacknowledged: 2, why: 'the function gave an invalid answer to a batch' };

test.each<[Omit<ServerAnswer, 'status'>, object]>([
  [{ body: '{"batchItemFailures":[]}' }, { unacknowledged: 0 }],
  [
    { body: '{"batchItemFailures":[{"itemIdentifier":"7"}]}' },
    { unacknowledged: 1, why: 'see the log of the function' },
  ],
  [
    {
      headers: { 'x-amz-function-error': 'Unhandled' },
      body: '{"errorType":"FatalError","errorMessage":"holds a secret"}',
    },
    { unacknowledged: 2, why: 'the function ended with FatalError, see its log' },
  ],
  [
    { headers: logged({ message: 'failed', reason: 'Query of table app was denied' }), body: failed },
    { unacknowledged: 1, why: 'Query of table app was denied' },
  ],
  [
    { headers: logged({ message: 'failed', error: 'TypeError', at: ['/var/task/a.mjs:1:2'] }), body: failed },
    { unacknowledged: 1, why: 'TypeError at /var/task/a.mjs:1:2' },
  ],
  ...['', 'null', '{}', '{"batchItemFailures":null}', 'a secret'].map(
    (body): [Omit<ServerAnswer, 'status'>, object] => [{ body }, invalid],
  ),
])('a function that answers the records with %j acknowledges as much: %j', async (answer, expected) => {
  const { requests, asked } = await lambda({ status: 200, ...answer });

  expect(await asked()).toEqual(expected);
  expect(requests).toHaveLength(1);
  expect(requests[0]?.path).toContain('/functions/prod-Propagate-1/invocations');
  expect(JSON.parse(requests[0]?.body.toString() ?? '')).toEqual({ Records: records });
});

test.each([
  [404, 'ResourceNotFoundException', FatalError],
  [403, 'AccessDeniedException', FatalError],
  [429, 'TooManyRequestsException', TransientError],
  [500, 'ServiceException', TransientError],
  [413, 'RequestTooLargeException', TransientError],
])('an invocation names its request if Lambda answers %d %s', async (status, type, error) => {
  const { asked } = await lambda({ status, headers: { 'x-amzn-errortype': type }, body: '{}' });

  await expect(asked()).rejects.toThrow(error);
  await expect(asked()).rejects.toThrow('Invoke (lambda:InvokeFunction) of prod-Propagate-1');
});
