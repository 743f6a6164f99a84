import { expect, onTestFinished, test } from 'vitest';
import { scenes } from '../../../scripts/smoke/propagations.ts';
import { streamEvent, trialLine } from '../../../scripts/smoke/trial.ts';
import { loopbackClientSettings } from '../../../src/develop/dev/loopback.ts';
import { connect } from '../../../src/operate/adapters/connection.ts';
import { loopbackServer, type ServerAnswer } from '../../suites/loopback-server.ts';

/** What the report says of a function that answers so. */
async function lineFor(answer: ServerAnswer) {
  const server = await loopbackServer(() => answer);
  const { lambda, close } = connect(loopbackClientSettings(server.endpoint));
  onTestFinished(async () => {
    close();
    await server.close();
  });
  const event = streamEvent(scenes('run', 1));
  return trialLine(lambda, { name: 'Propagate', functionName: 'app-Propagate', event });
}

function logged(line: object): Readonly<Record<string, string>> {
  const text = `START RequestId: 1\n${JSON.stringify(line)}\nEND RequestId: 1\n`;
  return { 'x-amz-log-result': Buffer.from(text).toString('base64') };
}

test('a function that acknowledges the event works', async () => {
  const line = await lineFor({ status: 200, body: '{"batchItemFailures":[]}' });

  expect(line).toMatchObject({ check: 'invocation of Propagate', status: 'passed' });
});

test.each([
  [
    'ends with an error',
    {
      headers: { 'x-amz-function-error': 'Unhandled' },
      body: '{"errorType":"DenormError","errorMessage":"Expected TABLE_NAME, found none"}',
    },
    'DenormError: Expected TABLE_NAME, found none',
  ],
  [
    'fails for a reason that it has logged',
    {
      headers: logged({ message: 'failed', code: 'aws.denied', reason: 'Query of table app was denied' }),
      body: '{"batchItemFailures":[{"itemIdentifier":"1"}]}',
    },
    'Query of table app was denied',
  ],
  [
    'fails for an error that is not ours',
    {
      headers: logged({ message: 'failed', error: 'TypeError', at: ['/var/task/propagate.mjs:1:2'] }),
      body: '{"batchItemFailures":[{"itemIdentifier":"1"}]}',
    },
    'TypeError at /var/task/propagate.mjs:1:2',
  ],
  ['fails without a reason', { body: 'null' }, 'see its log'],
])('of a function that %s, the report says why', async (_, answer, action) => {
  expect(await lineFor({ status: 200, ...answer })).toMatchObject({ status: 'failed', action });
});
