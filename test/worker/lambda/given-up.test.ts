import { afterAll, describe, expect, it, vi } from 'vitest';
import config from '../../../denorm.config.ts';
import { DenormError } from '../../../src/model/basics/errors.ts';
import type { Invoked } from '../../../src/worker/lambda/handler.ts';
import {
  archiveHandler,
  fanOutHandler,
  propagateHandler,
  sweepHandler,
  verifyHandler,
} from '../../../src/worker/lambda/index.ts';
import { namespace, ownAlarmMetrics } from './alarms.ts';
import { metricsIn, passesLogFilter } from './log-filter.ts';
import { captureLines } from './logged-lines.ts';
import { allWell, environmentOn, type Services, stubServices } from './stub-services.ts';

const state: Services = { ...allWell };
const services = await stubServices(state);
afterAll(() => services.close());

const handlers = {
  propagate: () => propagateHandler(config),
  'fan-out': () => fanOutHandler(config),
  archive: () => archiveHandler(config),
  sweep: () => sweepHandler(config),
  verify: () => verifyHandler(config),
} as const satisfies Record<string, () => Invoked<never, unknown>>;

/** Invokes a function once, with the template's settings for `LogLevel=ERROR`. */
async function invoke(name: keyof typeof handlers, event: object, found: Partial<Services> = {}) {
  Object.assign(state, allWell, found);
  const environment = {
    ...{ ...environmentOn(services.endpoint), POWERTOOLS_LOG_LEVEL: 'ERROR' },
    ...{ POWERTOOLS_METRICS_NAMESPACE: namespace, POWERTOOLS_SERVICE_NAME: name },
  };
  for (const [variable, text] of Object.entries(environment)) vi.stubEnv(variable, text);
  const lines = captureLines();
  let answer: unknown;
  let thrown: unknown;
  try {
    const handler: Invoked<never, unknown> = handlers[name]();
    // The cast is safe: Lambda, too, gives a function whatever event it has.
    answer = await handler(event as never, { getRemainingTimeInMillis: () => 60_000 });
  } catch (error) {
    thrown = error instanceof DenormError ? error.code : error;
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
  const metrics = lines.filter((line) => passesLogFilter(line, 'ERROR')).flatMap(metricsIn);
  return {
    answer,
    /** The code of its error. */
    thrown,
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

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(sum('DeadLettered')).toBe(1);
  });

  it('is counted in RequestsFailed if Lambda must deliver it again', async () => {
    const { answer, sum } = await invoke(name, event, { queue: 'away' });

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: id }] });
    expect(sum('RequestsFailed')).toBe(1);
  });

  it('makes the handler throw if the whole invocation fails', async () => {
    expect(await invoke(name, event, { queue: 'denies' })).toMatchObject({ thrown: 'aws.denied' });
  });
});

it('an unreadable message is counted in RequestsFailed, and stays in the queue', async () => {
  const [message] = outdatedMessage.Records;
  const { answer, sum } = await invoke('fan-out', { Records: [{ ...message, body: 'not a message' }] });

  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
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

it.each(['well', 'denies'] as const)(
  'work that DynamoDB has refused for hours is counted, however its invocation ends: the queue is %s',
  async (queue) => {
    const refused = { ...outdated, unavailableSince: Date.now() - 7_200_000 };
    const [message] = outdatedMessage.Records;
    const { sum } = await invoke(
      'fan-out',
      { Records: [{ ...message, body: JSON.stringify(refused) }] },
      { queue },
    );

    expect(sum('UnavailableAge')).toBeGreaterThanOrEqual(7_200);
  },
);

describe('a scheduled run', () => {
  it.each(['sweep', 'verify'] as const)(
    'of %s throws if it fails, which Lambda counts in Errors',
    async (name) => {
      expect(await invoke(name, {}, { table: 'denies' })).toMatchObject({ thrown: 'aws.denied' });
    },
  );

  it('counts an item that it cannot classify in ItemsUnclassified, and succeeds', async () => {
    const undated = { PK: { S: 'acct_A#inc' }, SK: { S: 'inc_1' }, Status: { S: 'closed' } };
    const { thrown, sum } = await invoke('sweep', {}, { stored: [undated] });

    expect(thrown).toBeUndefined();
    expect(sum('ItemsUnclassified')).toBeGreaterThan(0);
  });
});
