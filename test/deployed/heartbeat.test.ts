/**
 * Each way to lose work without an error, on a stack of its own: the heartbeat shows it. The schedule is not waited for, the
 * function is invoked; a beat lies in the queue for a second.
 */
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteFunctionConcurrencyCommand,
  InvokeCommand,
  ListEventSourceMappingsCommand,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { DeleteQueueCommand, GetQueueAttributesCommand, PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HeartbeatReport } from '../../src/worker/heartbeat.ts';
import { applicationOf } from './application.ts';
import { clients, cloud } from './here.ts';
import { deploy, type Stack } from './stack.ts';
import { until } from './until.ts';

const { lambda, sqs, dynamoDb, application } = clients;
const item = { PK: '~denorm#HEARTBEAT', SK: 'HEARTBEAT' };

let stack: Stack;
beforeAll(async () => {
  stack = await deploy(cloud, 'denorm-heartbeat', { Stage: 'heartbeat', HeartbeatDelaySeconds: '1' });
});

const table = () => applicationOf(application, stack.table);

/** One run, as the schedule would start it. */
async function beat(): Promise<HeartbeatReport> {
  const { Payload = [], FunctionError } = await lambda.send(
    new InvokeCommand({ FunctionName: stack.functions.Heartbeat, Payload: '{}' }),
  );
  const text = Buffer.from(Payload).toString();
  expect([FunctionError, text]).toEqual([undefined, text]);
  return JSON.parse(text);
}

function pathOf({ paths }: HeartbeatReport, path: string) {
  return paths.find((one) => one.path === path) ?? expect.fail(`no path ${path}`);
}

/** The beats that have not arrived. */
async function pending(path: string): Promise<readonly string[]> {
  return Object.keys((await table().get(item)) ?? {}).filter((name) => name.startsWith(`${path}:`));
}

/** Sends a beat, and waits until it has arrived on each path. */
async function arrives(): Promise<void> {
  await beat();
  await until('the beat has arrived everywhere', async () => {
    return (await Promise.all(['fan-out', 'archive'].map(pending))).flat().length === 0;
  });
}

/** Sends beats until these paths, and no others, are late. */
async function isLate(...late: readonly string[]): Promise<void> {
  await beat();
  await until(`${late.join(' and ')} late`, async () => {
    const { paths } = await beat();
    return paths.every(({ path, overdueSeconds }) => overdueSeconds > 5 === late.includes(path));
  });
}

async function mapping(name: 'Propagate' | 'Archive' | 'FanOut', Enabled: boolean): Promise<void> {
  const FunctionName = stack.functions[name];
  const { EventSourceMappings = [] } = await lambda.send(
    new ListEventSourceMappingsCommand({ FunctionName }),
  );
  expect(EventSourceMappings).toHaveLength(1);
  for (const { UUID } of EventSourceMappings)
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
}

const inQueue = () =>
  until('the beat is in the queue', async () => {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: stack.fanOutQueue, AttributeNames: ['All'] }),
    );
    return Attributes['ApproximateNumberOfMessages'] === '1';
  });

describe('the heartbeat of a deployed stack', () => {
  it('arrives by the queue and at Archive', async () => {
    await arrives();
    expect(await beat()).toMatchObject({
      paths: [
        { path: 'fan-out', lost: [], tripSeconds: expect.any(Number) },
        { path: 'archive', lost: [], tripSeconds: expect.any(Number) },
      ],
      ...{ paused: {}, oldestPauseSeconds: 0 },
    });
  });

  it.each([
    ['Propagate', 'fan-out'],
    ['FanOut', 'fan-out'],
    ['Archive', 'archive'],
  ] as const)('shows that the mapping of %s is disabled', async (name, path) => {
    await mapping(name, false);
    await isLate(path);
    await mapping(name, true);
    await arrives();
  });

  it('shows that a function is throttled to zero', async () => {
    const FunctionName = stack.functions.FanOut;
    await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
    await isLate('fan-out');
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    await arrives();
  });

  it('shows that the queue was purged, once', async () => {
    await mapping('FanOut', false);
    await beat();
    const [purged = expect.fail('nothing is pending')] = await pending('fan-out');
    await inQueue();
    await sqs.send(new PurgeQueueCommand({ QueueUrl: stack.fanOutQueue }));
    await mapping('FanOut', true);
    const report = await until('a beat is lost', async () => {
      const said = await beat();
      return pathOf(said, 'fan-out').lost.length > 0 && said;
    });
    expect(pathOf(report, 'fan-out').lost).toEqual([Number(purged.replace('fan-out:', ''))]);
    expect(pathOf(await beat(), 'fan-out').lost).toEqual([]);
  });

  it('goes on while a rule is paused, and says since when', async () => {
    const since = new Date(Date.now() - 90_000_000).toISOString();
    await table().put({ PK: '~denorm#PAUSES', SK: 'PAUSES', 'paused:order-status-keys': since });
    const { paused, oldestPauseSeconds } = await beat();
    expect([paused, oldestPauseSeconds > 86_400]).toEqual([{ 'order-status-keys': since }, true]);
    await arrives();
    await table().delete({ PK: '~denorm#PAUSES', SK: 'PAUSES' });
    expect(await beat()).toMatchObject({ paused: {}, oldestPauseSeconds: 0 });
  });

  it('shows that the queue is deleted', async () => {
    await arrives();
    await sqs.send(new DeleteQueueCommand({ QueueUrl: stack.fanOutQueue }));
    await isLate('fan-out');
  });

  it('shows that the stream is turned off', async () => {
    const StreamSpecification = { StreamEnabled: false };
    await dynamoDb.send(new UpdateTableCommand({ TableName: stack.table, StreamSpecification }));
    await isLate('fan-out', 'archive');
  });
});
