import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { namespace, ownAlarmMetrics } from './alarms.ts';
import { metricsIn, passesLogFilter } from './log-filter.ts';
import { allWell, type Services, stubServices } from './stub-services.ts';

const program = fileURLToPath(new URL('./run-handler.ts', import.meta.url));
const state: Services = { ...allWell };
const services = await stubServices(state);
afterAll(() => services.close());

/** Invokes a function once, with the template's settings for `LogLevel=ERROR`. */
async function invoke(name: string, event: unknown, found: Partial<Services> = {}) {
  Object.assign(state, allWell, found);
  const queue = `${services.endpoint}/000000000000/queue`;
  const child = spawn(process.execPath, [program, name], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      // Where handlers find the sources of the package.
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
      ...{
        TABLE_NAME: 'app',
        ARCHIVE_BUCKET: 'archive',
        FAN_OUT_QUEUE_URL: queue,
        DEAD_LETTER_QUEUE_URL: queue,
      },
      AWS_ENDPOINT_URL_DYNAMODB: services.endpoint,
      AWS_ENDPOINT_URL_SQS: services.endpoint,
      AWS_ENDPOINT_URL_S3: services.endpoint,
      ...{
        POWERTOOLS_LOG_LEVEL: 'ERROR',
        POWERTOOLS_METRICS_NAMESPACE: namespace,
        POWERTOOLS_SERVICE_NAME: name,
      },
    },
  });
  child.stdin.end(JSON.stringify(event));
  const [output, thrown, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  const lines = output.split('\n').filter((line) => line !== '');
  const metrics = lines.filter((line) => passesLogFilter(line, 'ERROR')).flatMap(metricsIn);
  return {
    code: Number(code),
    thrown,
    /** The function's response; undefined if it threw. */
    answer: code === 0 ? lines.at(-1) : undefined,
    /** The sum of a metric, as its alarm sees it. */
    sum: (metric: string) => {
      expect(ownAlarmMetrics()).toContainEqual(
        expect.objectContaining({ name: metric, dimensions: { service: name } }),
      );
      const values = metrics
        .filter((one) => one.name === metric && one.dimensions['service'] === name)
        .flatMap((one) => one.values);
      return values.reduce((total, value) => total + value, 0);
    },
  };
}

/** A record without keys. */
const unreadableRecord = {
  Records: [{ eventSource: 'aws:dynamodb', eventName: 'MODIFY', dynamodb: { SequenceNumber: '1' } }],
};
const outdated = { rule: 'gone', root: { pk: 'GONE#1', sk: 'GONE' }, cause: 'changed', attempts: 0 };
const outdatedMessage = {
  Records: [{ eventSource: 'aws:sqs', messageId: 'm1', body: JSON.stringify(outdated) }],
};

const readers = [
  ['propagate', unreadableRecord, '1'],
  ['archive', unreadableRecord, '1'],
  ['fan-out', outdatedMessage, 'm1'],
] as const;

describe.each(readers)('failed work of %s', (name, event, id) => {
  it('is counted in Dead-lettered if it is dead-lettered', async () => {
    const { answer, sum } = await invoke(name, event);

    expect(answer).toBe('{"batchItemFailures":[]}');
    expect(sum('DeadLettered')).toBe(1);
  });

  it('is counted in RequestsFailed if Lambda must deliver it again', async () => {
    const { answer, sum } = await invoke(name, event, { queue: 'away' });

    expect(answer).toBe(JSON.stringify({ batchItemFailures: [{ itemIdentifier: id }] }));
    expect(sum('RequestsFailed')).toBe(1);
  });

  it('makes the handler throw if the whole invocation fails, which Lambda counts in Errors', async () => {
    expect(await invoke(name, event, { queue: 'denies' })).toMatchObject({
      code: 1,
      thrown: expect.stringContaining('aws.denied'),
    });
  });
});

it('an unreadable message is counted in RequestsFailed, and stays in the queue', async () => {
  const [message] = outdatedMessage.Records;
  const { answer, sum } = await invoke('fan-out', { Records: [{ ...message, body: 'not a message' }] });

  expect(answer).toBe('{"batchItemFailures":[{"itemIdentifier":"m1"}]}');
  expect(sum('RequestsFailed')).toBe(1);
});

it.each(['well', 'denies'] as const)(
  'a message that came six times is counted, however its invocation ends: the queue is %s',
  async (queue) => {
    const [message] = outdatedMessage.Records;
    const again = { ...message, attributes: { ApproximateReceiveCount: '6' } };
    const { sum } = await invoke('fan-out', { Records: [...outdatedMessage.Records, again] }, { queue });

    expect(sum('MessageReceives')).toBe(6);
  },
);

const order = {
  ...{ PK: { S: 'ORDER#1' }, SK: { S: 'METADATA' }, Type: { S: 'Order' }, UserId: { S: '1' } },
  ...{ Status: { S: 'PAID' }, Total: { N: '1' }, CreatedAt: { S: '2026-01-15' } },
};
const { PK, SK } = order;
const insertedOrder = {
  eventSource: 'aws:dynamodb',
  eventName: 'INSERT',
  dynamodb: {
    ...{ SequenceNumber: '1', StreamViewType: 'NEW_AND_OLD_IMAGES', Keys: { PK, SK }, NewImage: order },
  },
};
const propagationOfOrder = {
  ...{ rule: 'order-status-keys', root: { pk: 'ORDER#1', sk: 'METADATA' }, cause: 'changed', attempts: 0 },
};

describe('statements that DynamoDB refuses but accepts as UpdateItem', () => {
  it.each([
    ['propagate', { Records: [insertedOrder] }],
    [
      'fan-out',
      { Records: [{ eventSource: 'aws:sqs', messageId: 'm1', body: JSON.stringify(propagationOfOrder) }] },
    ],
  ])('are counted by %s in StatementsFellBack', async (name, event) => {
    const { answer, sum } = await invoke(name, event, { table: 'refuses', stored: [order] });

    expect(answer).toBe('{"batchItemFailures":[]}');
    expect(sum('StatementsFellBack')).toBe(1);
    expect(sum('DeadLettered')).toBe(0);
  });
});

describe('a scheduled run', () => {
  it.each(['sweep', 'verify'])(
    'of %s makes the handler throw if it fails, which Lambda counts in Errors',
    async (name) => {
      expect(await invoke(name, {}, { table: 'denies' })).toMatchObject({
        code: 1,
        thrown: expect.stringContaining('aws.denied'),
      });
    },
  );

  it('counts an item that it cannot classify in ItemsUnclassified, and succeeds', async () => {
    const undated = { PK: { S: 'acct_A#inc' }, SK: { S: 'inc_1' }, Status: { S: 'closed' } };
    const { thrown, sum } = await invoke('sweep', {}, { stored: [undated] });

    expect(thrown).toBe('');
    expect(sum('ItemsUnclassified')).toBeGreaterThan(0);
  });
});
